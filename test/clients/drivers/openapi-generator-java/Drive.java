import java.io.File;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.JSON;
import org.openapitools.client.api.DirectoryApi;
import org.openapitools.client.api.JobsApi;
import org.openapitools.client.api.OperatorApi;
import org.openapitools.client.api.ProviderApi;
import org.openapitools.client.api.WebhooksApi;
import org.openapitools.client.model.*;

/** Buys, fulfils and asserts through a client that openapi-generator made for Java. */
public class Drive {
  interface Call {
    void run() throws ApiException;
  }

  static void check(boolean ok, String what) {
    if (!ok) throw new AssertionError(what);
  }

  static ApiClient client(String key) {
    ApiClient client = new ApiClient().setBasePath(System.getenv("BASE_URL"));
    if (key != null) client.setBearerToken(System.getenv(key));
    return client;
  }

  static RefusedError refusal(Call call) {
    try {
      call.run();
    } catch (ApiException error) {
      return JSON.getGson().fromJson(error.getResponseBody(), Refused.class).getError();
    }
    throw new AssertionError("nothing was refused");
  }

  static String parameter(String url, String name) {
    for (String part : URI.create(url).getRawQuery().split("&"))
      if (part.startsWith(name + "=")) return part.substring(name.length() + 1);
    throw new AssertionError(name + " is missing in " + url);
  }

  static String last(String url) {
    String path = URI.create(url).getPath();
    return path.substring(path.lastIndexOf('/') + 1);
  }

  public static void main(String[] args) throws Exception {
    DirectoryApi directory = new DirectoryApi(client(null));
    JobsApi jobs = new JobsApi(client("BUYER_KEY"));
    WebhooksApi webhooks = new WebhooksApi(client("BUYER_KEY"));
    ProviderApi provider = new ProviderApi(client("AGENCY_KEY"));
    OperatorApi operator = new OperatorApi(client("OPERATOR_KEY"));
    String agent = System.getenv("AGENT");

    Agent found = directory.listAgents().q("invoice").limit(5L).execute().getData().get(0);
    check(found.getPublishedAt().getYear() > 2000, "a found agent has a time");
    List<String> slugs = new ArrayList<>();
    for (String cursor = null; ; ) {
      ListAgentsAnswer page = directory.listAgents().limit(7L).cursor(cursor).execute();
      page.getData().forEach(row -> slugs.add(row.getSlug()));
      cursor = page.getMeta().getNextCursor();
      if (cursor != null) continue;
      check(slugs.size() == page.getMeta().getTotal(), "pages hold every agent");
      break;
    }
    CompareAgentsAnswer compared = directory.compareAgents(slugs.subList(0, 2)).execute();
    check(compared.getData().getFields().get(0).getValues().size() == 2, "two values of each field");

    CreateTrialRequest full =
        new CreateTrialRequest()
            .agent(agent)
            .brief("Match the invoices of October.")
            .metadata(Map.of("costCentre", "FIN-7"))
            .inputs(Map.of("month", "2026-10"))
            .expectedRecords(2L)
            .notifyUrl(null);
    Job first = jobs.createTrial(full).idempotencyKey("full").execute().getData();
    CreateTrialRequest plain = new CreateTrialRequest().agent(agent).brief("Once more.");
    check(jobs.createTrial(plain).executeWithHttpInfo().getStatusCode() == 201, "201");
    CreateTrialRequest dear = new CreateTrialRequest().agent(agent).brief("Dear.").maxAmountCents(1L);
    RefusedError changed = refusal(() -> jobs.createTrial(dear).execute());
    check("price_changed".equals(changed.getCode().getValue()), "the price changed");
    check(Long.parseLong(changed.getDetails().get(0).getValue()) > 1, "the price is told");
    CreateTrialRequest blank = new CreateTrialRequest().agent(agent).brief("");
    RefusedError wrong = refusal(() -> jobs.createTrial(blank).execute());
    check("brief".equals(wrong.getDetails().get(0).getPath()), "the fault is named");

    String form = "t=" + parameter(first.getFundingUrl(), "t");
    HttpRequest pay =
        HttpRequest.newBuilder(URI.create(System.getenv("BASE_URL") + "/checkout/" + first.getId() + "/pay"))
            .header("content-type", "application/x-www-form-urlencoded")
            .POST(HttpRequest.BodyPublishers.ofString(form))
            .build();
    check(HttpClient.newHttpClient().send(pay, HttpResponse.BodyHandlers.ofString()).statusCode() < 400, "paid");
    provider.startJob(first.getId()).execute();
    byte[] sent = new byte[4096];
    new Random().nextBytes(sent);
    File file = File.createTempFile("sent", ".bin");
    Files.write(file.toPath(), sent);
    Artifact stored = provider.attachArtifact(first.getId(), "sent.bin", file).execute().getData();
    check(stored.getSize() == 4096, "as many bytes are stored as were sent");
    provider.completeJob(first.getId()).execute();
    var done = jobs.getJob(first.getId()).waitSeconds(5L).execute().getData();
    check("completed".equals(done.getStatus().getValue()), "the job is completed");
    String url = jobs.listArtifacts(first.getId()).execute().getData().get(0).getUrl();
    File received = jobs.downloadArtifact(last(url), parameter(url, "exp"), parameter(url, "sig")).execute();
    check(Arrays.equals(Files.readAllBytes(received.toPath()), sent), "the bytes that were sent");

    String token = last(first.getRecordWebhookUrl());
    AssertRecordRequest record = new AssertRecordRequest().recordId("INV-" + first.getId());
    for (int status : new int[] {202, 200}) {
      var asserted = jobs.assertRecord(token, record).executeWithHttpInfo();
      check(asserted.getStatusCode() == status, "202, then 200");
      check(asserted.getData().getData().getDuplicate() == (status == 200), "the second is a duplicate");
    }
    CreateWebhookEndpointRequest hooks = new CreateWebhookEndpointRequest().url(URI.create("https://buyer.example/hooks"));
    String endpoint = webhooks.createWebhookEndpoint(hooks).execute().getData().getId();
    webhooks.listWebhookDeliveries(endpoint).execute();

    RegisterAgencyRequest agency =
        new RegisterAgencyRequest()
            .name("Agency")
            .tagline("New.")
            .description("A new agency.")
            .country("DE")
            .legalName("Agency GmbH")
            .foundedYear(2020L)
            .links(new RegisterAgencyRequestLinks());
    var made = operator.registerAgency(System.getenv("NEW_SLUG"), agency).executeWithHttpInfo();
    check(made.getStatusCode() == 201, "201 for an agency");
    System.exit(0); // okhttp's threads outlive the last call
  }
}
