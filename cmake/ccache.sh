#!/bin/sh
# Runs a compiler through ccache. A precompiled header is known by the checksum
# that is written beside it: hashing the header itself for every unit takes longer
# than many a compilation that the cache saves.
export CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_DEPEND=1 CCACHE_PCH_EXTSUM=1
ccache "$@" || exit
for word; do
  if [ "$before" = -o ]; then output=$word; fi
  before=$word
done
case $output in
*.pch) sha256sum "$output" | cut -d ' ' -f 1 >"$output.sum" ;;
esac
