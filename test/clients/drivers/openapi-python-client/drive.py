"""Buys and fulfils through a client that openapi-python-client made."""

import os
import urllib.parse
import urllib.request
from io import BytesIO

from made import AuthenticatedClient, Client
from made.api.directory import list_agents
from made.api.jobs import create_trial, download_artifact, get_job, list_artifacts
from made.api.mandates import get_mandate_export
from made.api.provider import attach_artifact, complete_job, start_job
from made.models import CreateTrialRequest, CreateTrialRequestInputsType0, Refused
from made.types import File

base = os.environ["BASE_URL"]
public = Client(base)
buyer = AuthenticatedClient(base, os.environ["BUYER_KEY"])
agency = AuthenticatedClient(base, os.environ["AGENCY_KEY"])
agent = os.environ["AGENT"]

slugs: list[str] = []
cursor = None
while True:
    page = list_agents.sync(client=public, limit=7, **({} if cursor is None else {"cursor": cursor}))
    slugs += [row.slug for row in page.data]
    cursor = page.meta.next_cursor
    if cursor is None:
        assert len(slugs) == page.meta.total
        break

inputs = CreateTrialRequestInputsType0.from_dict({"month": "2026-10"})
order = CreateTrialRequest(agent=agent, brief="Match the invoices of October.", inputs=inputs, notify_url=None)
made = create_trial.sync_detailed(client=buyer, body=order, idempotency_key="full")
assert made.status_code == 201
job = made.parsed.data
dear = create_trial.sync(client=buyer, body=CreateTrialRequest(agent=agent, brief="Dear.", max_amount_cents=1))
assert isinstance(dear, Refused) and dear.error.code == "price_changed" and int(dear.error.details[0].value) > 1

funding = urllib.parse.urlparse(job.funding_url)
form = urllib.parse.urlencode({"t": urllib.parse.parse_qs(funding.query)["t"][0]}).encode()
urllib.request.urlopen(f"{base}/checkout/{job.id}/pay", form)
start_job.sync(job.id, client=agency)
sent = os.urandom(4096)
stored = attach_artifact.sync(job.id, "sent.bin", client=agency, body=File(payload=BytesIO(sent)))
assert stored.data.size == 4096, stored
complete_job.sync(job.id, client=agency)
assert get_job.sync(job.id, client=buyer, wait=5).data.status == "completed"
link = urllib.parse.urlparse(list_artifacts.sync(job.id, client=buyer).data[0].url)
query = urllib.parse.parse_qs(link.query)
artifact = link.path.rsplit("/", 1)[1]
received = download_artifact.sync(artifact, client=public, exp=query["exp"][0], sig=query["sig"][0])
assert received.payload.read() == sent

lines = get_mandate_export.sync(client=buyer).payload.read().splitlines()
assert len(lines) > 3
