// Reads the Data API through a client that openapi-generator made for Go.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

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

func main() {
	ctx := context.Background()
	config := api.NewConfiguration()
	config.Servers = api.ServerConfigurations{{URL: os.Getenv("BASE_URL")}}
	config.AddDefaultHeader("Authorization", "Bearer "+os.Getenv("READER_KEY"))
	data := api.NewAPIClient(config).DataAPI

	ids := []string{}
	for cursor := ""; ; {
		request := data.ListModels(ctx).Limit(5)
		if cursor != "" {
			request = request.Cursor(cursor)
		}
		page, _, err := request.Execute()
		must(err, "page")
		for _, row := range page.Data {
			ids = append(ids, row.Id)
		}
		next := page.Meta.NextCursor.Get()
		if next == nil {
			check(int64(len(ids)) == page.Meta.Total, "pages hold every model")
			break
		}
		cursor = *next
	}
	model, _, err := data.GetModel(ctx, ids[0]).Execute()
	must(err, "a model by its id")
	check(model.Data.Id == ids[0], "the id has its slash")

	_, response, err := data.GetTool(ctx, "no-such-tool").Execute()
	check(err != nil && response.StatusCode == 404, "there is no such tool")
	tools, _, err := data.ListTools(ctx).Limit(3).Execute()
	must(err, "tools")
	check(len(tools.Data) == 3, "three tools")
	changes, _, err := data.ListDataChanges(ctx).Dataset("models").Limit(5).Execute()
	must(err, "changes")
	check(len(changes.Data) == 5, "five changes")
	_, _, err = data.ListDirectories(ctx).Execute()
	must(err, "directories")
	fmt.Println(len(ids), "models")
}
