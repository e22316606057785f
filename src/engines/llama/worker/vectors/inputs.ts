/**
 * The inputs of a task to the tokens that the model reads. Callers' text is plain text, whatever is written in it: only
 * the model's own frame has special tokens.
 */
import type { VectorInput, VectorTask } from "../../../../core/chat/request.js";
import type { PrepareResult } from "../../messages.js";
import type { Vocabulary } from "../vocabulary.js";

export interface InputFacts {
  vocabularySize: number;
  /** Of one input. */
  contextTokens: number;
  /** The model was trained without accents. */
  stripsAccents: boolean;
  /** Of a model that ranks: what to write around `{query}` and `{document}`, where it has such a text. */
  rankTemplate: string | undefined;
}

type Tokenizer = Pick<Vocabulary, "tokenize" | "firstToken" | "lastToken" | "betweenTexts">;

export class InputReader {
  constructor(
    private readonly vocabulary: Tokenizer,
    private readonly facts: InputFacts,
  ) {}

  /** An input that trips the tokenizer must not end the process, nor a thread of it. */
  readOrFail(task: VectorTask): PrepareResult {
    try {
      return this.read(task);
    } catch {
      return { type: "failed" };
    }
  }

  read(task: VectorTask): PrepareResult {
    const { contextTokens, vocabularySize } = this.facts;
    const inputs: Uint32Array[] = [];
    // One after the other: none is read after one that is refused.
    for (const [index, read] of this.#each(task).entries()) {
      const tokens = read();
      if (tokens.some((token) => token >= vocabularySize)) return { type: "unknown_token", index };
      if (tokens.length > contextTokens) return { type: "input_too_long", index, tokens: tokens.length };
      inputs.push(Uint32Array.from(tokens));
    }
    return { type: "inputs", inputs };
  }

  #each(task: VectorTask): (() => number[])[] {
    if (task.type === "embed") return task.inputs.map((input) => () => this.#framed(input));
    const query = this.#plain(task.query);
    return task.documents.map((document) => () => this.#pair(query, this.#plain(document)));
  }

  #plain(text: string): number[] {
    const read = this.facts.stripsAccents ? withoutAccents(text) : text;
    return [...this.vocabulary.tokenize(read, false)];
  }

  /** Tokens that a caller sends may have the frame already. */
  #framed(input: VectorInput): number[] {
    const tokens = typeof input === "string" ? this.#plain(input) : [...input];
    const { firstToken, lastToken } = this.vocabulary;
    if (firstToken !== null && tokens[0] !== firstToken) tokens.unshift(firstToken);
    if (lastToken !== null && tokens.at(-1) !== lastToken) tokens.push(lastToken);
    return tokens;
  }

  #pair(query: readonly number[], document: readonly number[]): number[] {
    const { rankTemplate } = this.facts;
    if (rankTemplate !== undefined) return this.#fill(rankTemplate, query, document);
    const { firstToken, lastToken, betweenTexts } = this.vocabulary;
    const some = (token: number | null) => (token === null ? [] : [token]);
    return [...some(firstToken), ...query, ...betweenTexts, ...document, ...some(lastToken)];
  }

  #fill(template: string, query: readonly number[], document: readonly number[]): number[] {
    const pieces = template.split(/(\{query\}|\{document\})/);
    return pieces.flatMap((piece) => {
      if (piece === "{query}") return query;
      if (piece === "{document}") return document;
      return piece === "" ? [] : [...this.vocabulary.tokenize(piece, true)];
    });
  }
}

/** As BERT's own tokenizer does it, which takes the syllables of Korean apart as well. */
const withoutAccents = (text: string): string => text.normalize("NFD").replace(/\p{Mn}/gu, "");
