// Buys and fulfils through a client that ogen made, which checks every answer against its schema.
package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
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

// The answer of the kind that is expected.
func as[T any](answer any, err error) T {
	check(err == nil, err)
	expected, ok := answer.(T)
	check(ok, fmt.Sprintf("%T: %+v", answer, answer))
	return expected
}

type keyIn string

func (name keyIn) ApiKey(context.Context, api.OperationName) (api.ApiKey, error) {
	return api.ApiKey{Token: os.Getenv(string(name))}, nil
}

func client(key keyIn) *api.Client {
	return must(api.NewClient(os.Getenv("BASE_URL"), key))
}

func main() {
	ctx := context.Background()
	buyer, agency := client("BUYER_KEY"), client("AGENCY_KEY")
	agent := os.Getenv("AGENT")

	slugs := []string{}
	for params := (api.ListAgentsParams{Limit: api.NewOptInt64(7)}); ; {
		page := as[*api.ListAgentsAnswerHeaders](buyer.ListAgents(ctx, params)).Response
		for _, row := range page.Data {
			slugs = append(slugs, row.Slug)
		}
		if page.Meta.NextCursor.Null {
			check(int64(len(slugs)) == page.Meta.Total, "pages hold every agent")
			break
		}
		params.Cursor = api.NewOptString(page.Meta.NextCursor.Value)
	}

	order := api.CreateTrialRequest{Agent: agent, Brief: "Match the invoices of October."}
	order.NotifyUrl.SetToNull()
	named := api.CreateTrialParams{IdempotencyKey: api.NewOptString("full")}
	made := as[*api.CreateTrialAnswerHeaders](buyer.CreateTrial(ctx, &order, named))
	job := made.Response.Data
	dear := api.CreateTrialRequest{Agent: agent, Brief: "Dear.", MaxAmountCents: api.NewOptNilInt64(1)}
	refused := as[*api.ConflictOrPriceChangedRefusedHeaders](buyer.CreateTrial(ctx, &dear, api.CreateTrialParams{}))
	check(refused.Response.Error.Code == "price_changed", "the price changed")
	check(len(refused.Response.Error.Details) > 0, "the price is told")

	funding := must(url.Parse(job.FundingUrl.Value))
	form := url.Values{"t": {funding.Query().Get("t")}}
	check(must(http.PostForm(os.Getenv("BASE_URL")+"/checkout/"+job.ID+"/pay", form)).StatusCode < 400, "paid")
	must(agency.StartJob(ctx, api.StartJobParams{JobId: job.ID}))
	sent := make([]byte, 4096)
	must(rand.Read(sent))
	file := api.AttachArtifactReq{Data: bytes.NewReader(sent)}
	target := api.AttachArtifactParams{JobId: job.ID, Name: "sent.bin"}
	stored := as[*api.AttachArtifactAnswerHeaders](agency.AttachArtifact(ctx, file, target))
	check(stored.Response.Data.Size == 4096, "as many bytes are stored as were sent")
	must(agency.CompleteJob(ctx, api.CompleteJobParams{JobId: job.ID}))
	waiting := api.GetJobParams{JobId: job.ID, Wait: api.NewOptInt64(5)}
	done := as[*api.GetJobAnswerHeaders](buyer.GetJob(ctx, waiting))
	check(done.Response.Data.Status == "completed", "the job is completed")
	files := as[*api.ListArtifactsAnswerHeaders](buyer.ListArtifacts(ctx, api.ListArtifactsParams{JobId: job.ID}))
	link := must(url.Parse(files.Response.Data[0].URL))
	signed := api.DownloadArtifactParams{
		ArtifactId: link.Path[strings.LastIndex(link.Path, "/")+1:],
		Exp:        link.Query().Get("exp"),
		Sig:        link.Query().Get("sig"),
	}
	got := as[*api.DownloadArtifactOKHeaders](buyer.DownloadArtifact(ctx, signed))
	check(bytes.Equal(must(io.ReadAll(got.Response)), sent), "the bytes that were sent")
}
