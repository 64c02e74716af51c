"""The source files that the style checks look at."""
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["include", "src", "partitions", "python", "tests", "examples", "integrations"]
SUFFIXES = {".h", ".hpp", ".cpp"}


def source_files():
    files = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*"))
    return sorted(path.relative_to(ROOT) for path in files if path.suffix in SUFFIXES and path.is_file())
