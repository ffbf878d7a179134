"""Buys, fulfils and asserts through a client that openapi-generator made for Python."""

import os
import urllib.parse
import urllib.request

import openapi_client as api
from openapi_client.rest import ApiException


def client(key: str | None) -> api.ApiClient:
    token = None if key is None else os.environ[key]
    return api.ApiClient(api.Configuration(host=os.environ["BASE_URL"], access_token=token))


def refusal(call) -> api.RefusedError:
    try:
        call()
    except ApiException as error:
        assert isinstance(error.data, api.Refused), type(error.data)
        return error.data.error
    raise AssertionError("nothing was refused")


directory = api.DirectoryApi(client(None))
jobs = api.JobsApi(client("BUYER_KEY"))
webhooks = api.WebhooksApi(client("BUYER_KEY"))
provider = api.ProviderApi(client("AGENCY_KEY"))
operator = api.OperatorApi(client("OPERATOR_KEY"))
agent = os.environ["AGENT"]

found = directory.list_agents(q="invoice", limit=5)
assert found.data[0].published_at.year > 2000

slugs: list[str] = []
cursor = None
while True:
    page = directory.list_agents(limit=7, cursor=cursor)
    slugs += [row.slug for row in page.data]
    cursor = page.meta.next_cursor
    if cursor is None:
        assert len(slugs) == page.meta.total
        break
compared = directory.compare_agents(slugs=slugs[:2])
assert len(compared.data.fields) > 5 and len(compared.data.fields[0].values) == 2

full = api.CreateTrialRequest(
    agent=agent,
    brief="Match the invoices of October.",
    metadata={"costCentre": "FIN-7"},
    inputs={"month": "2026-10"},
    expectedRecords=2,
    notifyUrl=None,
)
first = jobs.create_trial(full, idempotency_key="full").data
plain = api.CreateTrialRequest(agent=agent, brief="Once more.")
second = jobs.create_trial_with_http_info(plain)
assert second.status_code == 201 and second.data.data.id != first.id

dear = api.CreateTrialRequest(agent=agent, brief="Too dear.", maxAmountCents=1)
error = refusal(lambda: jobs.create_trial(dear))
assert error.code == "price_changed" and int(error.details[0].value) > 1
error = refusal(lambda: jobs.create_trial(api.CreateTrialRequest(agent="nobody", brief="x")))
assert error.code == "not_found" and error.request_id

funding = urllib.parse.urlparse(first.funding_url)
form = urllib.parse.urlencode({"t": urllib.parse.parse_qs(funding.query)["t"][0]}).encode()
urllib.request.urlopen(f"{os.environ['BASE_URL']}/checkout/{first.id}/pay", form)
provider.start_job(first.id)
sent = os.urandom(4096)
stored = provider.attach_artifact(first.id, "sent.bin", body=sent)
assert stored.data.size == 4096, stored
provider.complete_job(first.id)
assert jobs.get_job(first.id, wait=5).data.status == "completed"
link = urllib.parse.urlparse(jobs.list_artifacts(first.id).data[0].url)
query = urllib.parse.parse_qs(link.query)
received = jobs.download_artifact(link.path.rsplit("/", 1)[1], exp=query["exp"][0], sig=query["sig"][0])
assert bytes(received) == sent

token = first.record_webhook_url.rsplit("/", 1)[1]
record = api.AssertRecordRequest(recordId="INV-" + sent[:4].hex())
for status in (202, 200):
    asserted = jobs.assert_record_with_http_info(token, record)
    assert asserted.status_code == status and asserted.data.data.duplicate == (status == 200)

endpoint = webhooks.create_webhook_endpoint(api.CreateWebhookEndpointRequest(url="https://buyer.example/hooks"))
webhooks.list_webhook_deliveries(endpoint.data.id)

profile = api.RegisterAgencyRequest(
    name="Agency",
    tagline="New.",
    description="A new agency.",
    country="DE",
    legalName="Agency GmbH",
    foundedYear=2020,
    links=api.RegisterAgencyRequestLinks(),
)
assert operator.register_agency_with_http_info(os.environ["NEW_SLUG"], profile).status_code == 201
