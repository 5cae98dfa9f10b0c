#!/usr/bin/python3
# mon_commands.py ADDR KEYRING FILE CEPH: runs the commands of FILE at the monitor as client.admin
# over librados, and prints each with its code, line and output. A line of FILE is a command as
# JSON; its member "<" is the input file; one that begins with "20 " is for Ceph 20 alone. New keys
# are printed as NEW. What Ceph 20 says differently after success is left out there.
import json
import re
import sys

import rados

KNOWN = ("AQAQBwpZAAAAABAA", "AQAAL2hZFc1bBxAA")


def plain(text):
    return re.sub(r"A[Qg][A-Za-z0-9+/]{36,57}=+",
                  lambda m: m[0] if m[0].startswith(KNOWN) else "NEW", text.rstrip("\n"))


addr, keyring, path, ceph = sys.argv[1:5]
options = {"mon_host": "v2:" + addr, "keyring": keyring, "log_to_stderr": "false", "log_file": ""}
cluster = rados.Rados(name="client.admin", conf=options)
cluster.connect(timeout=15)
for line in open(path):
    line = line.strip()
    if line.startswith("20 "):
        if ceph != "20":
            continue
        line = line[3:]
    if not line or line.startswith("#"):
        continue
    command = json.loads(line)
    data = command.pop("<", "")
    code, out, say = cluster.mon_command(json.dumps(command), data.encode(), timeout=20)
    out = plain(out.decode())
    if ceph == "20" and code == 0:
        say = ""
        if command["prefix"] == "auth caps":
            out = ""
    print(line, "->", code, json.dumps(plain(say)), json.dumps(out), flush=True)
cluster.shutdown()
