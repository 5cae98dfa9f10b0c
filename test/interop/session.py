#!/usr/bin/python3
# session.py ADDR ENTITY KEYRING [OPTION=VALUE...]: one librados session. For each line of stdin, a
# command as JSON, answers with the code, the session's global_id and the output in one line.
import json
import sys

import rados

addr, entity, keyring = sys.argv[1:4]
options = {"mon_host": "v2:" + addr, "keyring": keyring, "log_to_stderr": "false", "log_file": ""}
options.update(word.split("=", 1) for word in sys.argv[4:])
cluster = rados.Rados(name=entity, conf=options)
cluster.connect(timeout=15)
print("connected", cluster.get_instance_id(), flush=True)
for line in sys.stdin:
    code, out, say = cluster.mon_command(line.strip(), b"", timeout=20)
    print(code, cluster.get_instance_id(), json.dumps(out.decode()), flush=True)
cluster.shutdown()
