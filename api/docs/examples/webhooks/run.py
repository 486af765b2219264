# Runs verify.py on cases.json.
import json, sys
from verify import verify

with open("cases.json", encoding="utf-8") as f:
    wrong = [c["name"] for c in json.load(f) if verify(c["secret"], c["headers"], c["body"].encode(), c["now"]) != c["good"]]
sys.exit("\n".join(wrong) or 0)
