// Buys and fulfils through a client that oapi-codegen made.
package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"

	"client/api"
)

func check(ok bool, what ...any) {
	if !ok {
		fmt.Println(append([]any{"not so:"}, what...)...)
		os.Exit(1)
	}
}

func must[T any](value T, err error) T {
	check(err == nil, err)
	return value
}

func client(key string) *api.ClientWithResponses {
	authorize := func(_ context.Context, request *http.Request) error {
		if key != "" {
			request.Header.Set("Authorization", "Bearer "+os.Getenv(key))
		}
		return nil
	}
	return must(api.NewClientWithResponses(os.Getenv("BASE_URL"), api.WithRequestEditorFn(authorize)))
}

func main() {
	ctx := context.Background()
	public, buyer, agency := client(""), client("BUYER_KEY"), client("AGENCY_KEY")
	agent := os.Getenv("AGENT")

	slugs, limit := []string{}, int64(7)
	for params := (api.ListAgentsParams{Limit: &limit}); ; {
		page := must(public.ListAgentsWithResponse(ctx, &params)).JSON200
		check(page != nil, "a page")
		for _, row := range page.Data {
			slugs = append(slugs, row.Slug)
		}
		if page.Meta.NextCursor == nil {
			check(int64(len(slugs)) == page.Meta.Total, "pages hold every agent")
			break
		}
		params.Cursor = page.Meta.NextCursor
	}

	name := "full"
	inputs := map[string]any{"month": "2026-10"}
	order := api.CreateTrialRequest{Agent: agent, Brief: "Match the invoices of October.", Inputs: &inputs}
	made := must(buyer.CreateTrialWithResponse(ctx, &api.CreateTrialParams{IdempotencyKey: &name}, order))
	check(made.JSON201 != nil, made.Status(), string(made.Body))
	job := made.JSON201.Data
	cent := int64(1)
	dear := api.CreateTrialRequest{Agent: agent, Brief: "Dear.", MaxAmountCents: &cent}
	refused := must(buyer.CreateTrialWithResponse(ctx, &api.CreateTrialParams{}, dear)).JSON409
	check(refused != nil && refused.Error.Code == "price_changed", "the price changed")
	check((*refused.Error.Details)[0].Value != nil, "the price is told")

	funding := must(url.Parse(*job.FundingUrl))
	form := url.Values{"t": {funding.Query().Get("t")}}
	check(must(http.PostForm(os.Getenv("BASE_URL")+"/checkout/"+job.Id+"/pay", form)).StatusCode < 400, "paid")
	started := must(agency.StartJobWithResponse(ctx, job.Id, &api.StartJobParams{}))
	check(started.JSON200 != nil, started.Status())
	sent := make([]byte, 4096)
	must(rand.Read(sent))
	stored := must(agency.AttachArtifactWithBodyWithResponse(ctx, job.Id, "sent.bin", &api.AttachArtifactParams{},
		"application/octet-stream", bytes.NewReader(sent)))
	check(stored.JSON200 != nil && stored.JSON200.Data.Size == 4096, stored.Status(), string(stored.Body))
	must(agency.CompleteJobWithResponse(ctx, job.Id, &api.CompleteJobParams{}))
	seconds := int64(5)
	done := must(buyer.GetJobWithResponse(ctx, job.Id, &api.GetJobParams{Wait: &seconds}))
	check(done.JSON200 != nil && done.JSON200.Data.Status == "completed", done.Status())
	files := must(buyer.ListArtifactsWithResponse(ctx, job.Id, &api.ListArtifactsParams{})).JSON200
	link := must(url.Parse(files.Data[0].Url))
	id := link.Path[strings.LastIndex(link.Path, "/")+1:]
	signed := api.DownloadArtifactParams{Exp: link.Query().Get("exp"), Sig: link.Query().Get("sig")}
	got := must(public.DownloadArtifactWithResponse(ctx, id, &signed))
	check(bytes.Equal(got.Body, sent), "the bytes that were sent")
}
