"""Prepares a Galaxy server for the test of a tool, in the folder that GALAXY names.

usage: workflows-galaxy.py configure               writes galaxy.yml
       workflows-galaxy.py key ADDRESS PROCESS     waits for the server, makes a user and prints the key of its API
"""

import json
import os
import secrets
import sys
import time
from pathlib import Path

import requests

folder = Path(os.environ["GALAXY"])
# The file is written as JSON, which is YAML, too.
settings = folder / "galaxy.yml"
user = {"username": "tester", "email": "tester@example.org", "password": secrets.token_urlsafe(16)}


def configure():
    galaxy = {
        "data_dir": str(folder / "data"),
        "database_connection": f"sqlite:///{folder}/galaxy.sqlite?isolation_level=IMMEDIATE",
        "tool_config_file": str(folder / "tool_conf.xml"),
        "bootstrap_admin_api_key": secrets.token_urlsafe(16),
        "admin_users": user["email"],
        # The command is on the path, so nothing is installed for the tool.
        "conda_auto_init": False,
        "enable_celery_tasks": False,
    }
    settings.write_text(json.dumps({"galaxy": galaxy}))


def key(address, process):
    headers = {"x-api-key": json.loads(settings.read_text())["galaxy"]["bootstrap_admin_api_key"]}
    while True:
        os.kill(int(process), 0)
        try:
            if requests.get(f"{address}/api/version", timeout=60).ok:
                break
        except requests.ConnectionError:
            time.sleep(0.5)
    made = requests.post(f"{address}/api/users", json=user, headers=headers, timeout=60)
    made.raise_for_status()
    given = requests.post(f"{address}/api/users/{made.json()['id']}/api_key", headers=headers, timeout=60)
    given.raise_for_status()
    print(given.json())


command, *values = sys.argv[1:]
{"configure": configure, "key": key}[command](*values)
