// Buys, fulfils and asserts through a client that openapi-generator made for Go.
package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	api "client/api"
)

func check(ok bool, what string) {
	if !ok {
		fmt.Println("not so: " + what)
		os.Exit(1)
	}
}

func must(err error, what string) {
	var answered *api.GenericOpenAPIError
	if errors.As(err, &answered) {
		fmt.Println(what, string(answered.Body()))
	}
	check(err == nil, fmt.Sprint(what, ": ", err))
}

func client(key string) *api.APIClient {
	config := api.NewConfiguration()
	config.Servers = api.ServerConfigurations{{URL: os.Getenv("BASE_URL")}}
	if key != "" {
		config.AddDefaultHeader("Authorization", "Bearer "+os.Getenv(key))
	}
	return api.NewAPIClient(config)
}

func main() {
	ctx := context.Background()
	public, buyer, agency, operator := client(""), client("BUYER_KEY"), client("AGENCY_KEY"), client("OPERATOR_KEY")
	agent := os.Getenv("AGENT")

	found, _, err := public.DirectoryAPI.ListAgents(ctx).Q("invoice").Limit(5).Execute()
	must(err, "search")
	check(len(found.Data) > 0 && found.Data[0].PublishedAt.Year() > 2000, "a found agent has a time")
	slugs := []string{}
	for cursor := ""; ; {
		request := public.DirectoryAPI.ListAgents(ctx).Limit(7)
		if cursor != "" {
			request = request.Cursor(cursor)
		}
		page, _, err := request.Execute()
		must(err, "page")
		for _, row := range page.Data {
			slugs = append(slugs, row.Slug)
		}
		next := page.Meta.NextCursor.Get()
		if next == nil {
			check(int64(len(slugs)) == page.Meta.Total, "pages hold every agent")
			break
		}
		cursor = *next
	}
	compared, _, err := public.DirectoryAPI.CompareAgents(ctx).Slugs(slugs[:2]).Execute()
	must(err, "compare")
	check(len(compared.Data.Fields) > 5 && len(compared.Data.Fields[0].Values) == 2, "two values of each field")

	full := *api.NewCreateTrialRequest(agent, "Match the invoices of October.")
	full.SetMetadata(map[string]string{"costCentre": "FIN-7"})
	full.SetInputs(map[string]any{"month": "2026-10"})
	full.SetExpectedRecords(2)
	first, _, err := buyer.JobsAPI.CreateTrial(ctx).CreateTrialRequest(full).IdempotencyKey("full").Execute()
	must(err, "trial")
	plain := *api.NewCreateTrialRequest(agent, "Once more.")
	second, answer, err := buyer.JobsAPI.CreateTrial(ctx).CreateTrialRequest(plain).Execute()
	must(err, "plain trial")
	check(answer.StatusCode == 201 && second.Data.Id != first.Data.Id, "201 and a job of its own")

	dear := plain
	dear.SetMaxAmountCents(1)
	_, _, err = buyer.JobsAPI.CreateTrial(ctx).CreateTrialRequest(dear).Execute()
	refused := refusal(err)
	check(refused.Error.Code == "price_changed" && *refused.Error.Details[0].Value != "", "the price is told")
	_, _, err = buyer.JobsAPI.CreateTrial(ctx).CreateTrialRequest(*api.NewCreateTrialRequest(agent, "")).Execute()
	refused = refusal(err)
	check(refused.Error.Code == "invalid_request" && refused.Error.Details[0].Path == "brief", "the fault is named")

	job := first.Data.Id
	pay(*first.Data.FundingUrl.Get(), job)
	_, _, err = agency.ProviderAPI.StartJob(ctx, job).Execute()
	must(err, "start")
	sent := make([]byte, 4096)
	_, err = rand.Read(sent)
	must(err, "random")
	must(os.WriteFile("sent.bin", sent, 0o600), "file")
	file, err := os.Open("sent.bin")
	must(err, "open")
	stored, _, err := agency.ProviderAPI.AttachArtifact(ctx, job, "sent.bin").Body(file).Execute()
	must(err, "upload")
	check(stored.Data.Size == 4096, "as many bytes are stored as were sent")
	_, _, err = agency.ProviderAPI.CompleteJob(ctx, job).Execute()
	must(err, "complete")
	done, _, err := buyer.JobsAPI.GetJob(ctx, job).Wait(5).Execute()
	must(err, "job")
	check(done.Data.Status == "completed", "the job is completed")
	files, _, err := buyer.JobsAPI.ListArtifacts(ctx, job).Execute()
	must(err, "artifacts")
	link, err := url.Parse(files.Data[0].Url)
	must(err, "link")
	id := link.Path[strings.LastIndex(link.Path, "/")+1:]
	query := link.Query()
	got, _, err := public.JobsAPI.DownloadArtifact(ctx, id).Exp(query.Get("exp")).Sig(query.Get("sig")).Execute()
	must(err, "download")
	received, err := io.ReadAll(got)
	must(err, "read")
	check(bytes.Equal(received, sent), "the bytes that were sent")

	address := *first.Data.RecordWebhookUrl.Get()
	token := address[strings.LastIndex(address, "/")+1:]
	record := *api.NewAssertRecordRequest("INV-" + hex.EncodeToString(sent[:4]))
	for _, status := range []int{202, 200} {
		asserted, answer, err := public.JobsAPI.AssertRecord(ctx, token).AssertRecordRequest(record).Execute()
		must(err, "record")
		check(answer.StatusCode == status && asserted.Data.Duplicate == (status == 200), "202, then 200")
	}

	endpoint, _, err := buyer.WebhooksAPI.CreateWebhookEndpoint(ctx).
		CreateWebhookEndpointRequest(*api.NewCreateWebhookEndpointRequest("https://buyer.example/hooks")).Execute()
	must(err, "endpoint")
	_, _, err = buyer.WebhooksAPI.ListWebhookDeliveries(ctx, endpoint.Data.Id).Execute()
	must(err, "deliveries")

	name := api.RegisterAgencyRequest{Name: "Agency", Tagline: "New.", Description: "A new agency.", Country: "DE", LegalName: "Agency GmbH", FoundedYear: 2020, Links: *api.NewRegisterAgencyRequestLinks()}
	_, answer, err = operator.OperatorAPI.RegisterAgency(ctx, os.Getenv("NEW_SLUG")).RegisterAgencyRequest(name).Execute()
	must(err, "agency")
	check(answer.StatusCode == 201, "201 for an agency")
}

func refusal(err error) api.Refused {
	var answered *api.GenericOpenAPIError
	check(errors.As(err, &answered), "an error of the client")
	refused, ok := answered.Model().(api.Refused)
	check(ok, fmt.Sprintf("a refusal, typed: %T", answered.Model()))
	return refused
}

func pay(fundingURL string, job string) {
	link, err := url.Parse(fundingURL)
	must(err, "funding URL")
	answer, err := http.PostForm(os.Getenv("BASE_URL")+"/checkout/"+job+"/pay", url.Values{"t": {link.Query().Get("t")}})
	must(err, "pay")
	check(answer.StatusCode < 400, "paid: "+answer.Status)
}
