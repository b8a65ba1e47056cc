"""Scripts of cases: functions whose names say what holds, one line of output each."""
import shutil


def main(cases, folder):
    """Runs all in an empty folder, and ends with `N of M`."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    passed = 0
    for case in cases:
        try:
            case()
            passed += 1
            print("ok", case.__name__)
        except AssertionError as error:
            print("FAIL", case.__name__, error)
    print(passed, "of", len(cases))
