"""Tests a webhook of the running service, verified by the library of the Standard Webhooks convention."""

import os
import queue
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import httpx
import pytest
from standardwebhooks import Webhook, WebhookVerificationError

api = httpx.Client(base_url=os.environ["KINDRED_URL"] + "/v1", headers={"authorization": f"ApiKey {os.environ['KINDRED_KEY']}"})
port = int(os.environ["KINDRED_WEBHOOK_PORT"])


@pytest.fixture
def messages():
    received: queue.Queue = queue.Queue()

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self):
            received.put((self.rfile.read(int(self.headers["content-length"])), dict(self.headers)))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", port), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield received
    server.shutdown()
    server.server_close()


def test_an_ended_job_is_sent_and_signed(messages):
    made = api.post("/webhooks", json={"url": f"http://127.0.0.1:{port}/"}).raise_for_status().json()
    try:
        job = api.post("/jobs", json={"operation": "ping", "queue_name": "svc.ping"}).raise_for_status().json()
        body, headers = messages.get(timeout=60)
        event = Webhook(made["secret"]).verify(body, headers)
        assert event["type"] == "job.succeeded" and event["data"]["id"] == job["id"]
        with pytest.raises(WebhookVerificationError):
            Webhook(made["secret"]).verify(body.replace(b"succeeded", b"failed"), headers)
    finally:
        api.delete(f"/webhooks/{made['id']}").raise_for_status()


def test_forbidden_addresses_are_refused():
    refused = api.post("/webhooks", json={"url": "http://127.0.0.1:1/"})
    assert refused.status_code == 422 and refused.json()["code"] == "address_refused"
