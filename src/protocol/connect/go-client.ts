/** The first request in Go. Tabs are what gofmt writes. */
import { baseUrl, keyVariable, type ConnectClient, type ConnectTarget } from "./client.js";
import { exportKey, question } from "./code-clients.js";

export const goClient: ConnectClient = {
  id: "openai-go",
  name: "OpenAI library for Go",
  group: "Libraries",
  api: "Chat Completions",
  checked: {
    version: "openai-go 3.76.0",
    how: "documentation",
    source: "https://pkg.go.dev/github.com/openai/openai-go/v3",
  },
  streams: true,
  configure: (target) => [
    { type: "code", title: "Install", language: "bash", text: "go get github.com/openai/openai-go/v3" },
    ...exportKey(target),
    { type: "code", title: "Go", language: "go", text: program(target) },
  ],
};

function program(target: ConnectTarget): string {
  const key = target.key === null ? `os.Getenv("${keyVariable}")` : JSON.stringify(target.key);
  return `package main

import (
	"context"
	"fmt"${target.key === null ? '\n\t"os"' : ""}

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

func main() {
	client := openai.NewClient(
		option.WithBaseURL("${baseUrl(target)}"),
		option.WithAPIKey(${key}),
	)
	request := openai.ChatCompletionNewParams{
		Model: "${target.model}",
		Messages: []openai.ChatCompletionMessageParamUnion{
			openai.UserMessage("${question}"),
		},
	}
${target.stream ? stream : reply}
}`;
}

const reply = `	reply, err := client.Chat.Completions.New(context.Background(), request)
	if err != nil {
		panic(err)
	}
	fmt.Println(reply.Choices[0].Message.Content)`;

const stream = `	stream := client.Chat.Completions.NewStreaming(context.Background(), request)
	for stream.Next() {
		if chunk := stream.Current(); len(chunk.Choices) > 0 {
			fmt.Print(chunk.Choices[0].Delta.Content)
		}
	}
	if err := stream.Err(); err != nil {
		panic(err)
	}`;
