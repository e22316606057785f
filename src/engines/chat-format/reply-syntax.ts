/**
 * How a family of models writes reasoning and calls of tools. Found out once, when the model is loaded, by rendering
 * its chat template; plain data, since the engine's process tells the API's.
 */

export interface ReasoningSyntax {
  open: string;
  close: string;
}

/**
 * A call or a list of calls as JSON: `{"name": "f", "arguments": {…}}`, by whichever names of the two fields.
 * With `list` an array of such objects.
 */
export interface JsonCalls {
  type: "json";
  nameField: string;
  argumentsField: string;
  list: boolean;
  /** A field with an id that models of the family write, too. Ids are ours, so it is dropped. */
  idField?: string;
}

/** The name as plain text, then what separates it, then the arguments as one JSON object: `f[ARGS]{…}`. */
export interface NamedCalls {
  type: "named";
  /** Before the name; may be empty. */
  prefix: string;
  /** Before an id that stands between the name and the separator (Mistral: `f[CALL_ID]x[ARGS]{…}`); may be empty. */
  idOpen: string;
  separator: string;
  /** After the arguments; may be empty. */
  suffix: string;
}

/** Arguments one by one between tags, strings as they are and everything else as JSON. */
export interface TaggedCalls {
  type: "tagged";
  /** Before and after the function's name, such as `<function=` and `>`. */
  nameOpen: string;
  nameClose: string;
  /** Around the name of an argument, such as `<parameter=` and `>`. */
  keyOpen: string;
  keyClose: string;
  /** Around its value, such as a line break and `</parameter>`. `valueOpen` may be empty. */
  valueOpen: string;
  valueClose: string;
  /** After the last argument, such as `</function>`; may be empty. */
  end: string;
}

export interface CallSyntax {
  /** Begins one call, or all of them. Empty for families that write the bare JSON as the whole reply (Llama 3). */
  open: string;
  close: string;
  /** Around all calls together, where there is such a thing (DeepSeek); empty otherwise. */
  groupOpen: string;
  groupClose: string;
  payload: JsonCalls | NamedCalls | TaggedCalls;
}

export type ReplySyntax =
  /** Text with marked places in it. `dropped` are markers that carry no meaning for the reader. */
  | {
      type: "marked";
      reasoning: ReasoningSyntax | null;
      calls: CallSyntax | null;
      dropped: readonly string[];
    }
  /** gpt-oss: channels. */
  | { type: "harmony" }
  /**
   * Ours, for templates that do not know tools: one JSON object, either `{"reply": "…"}` or `{"calls": […]}`, after
   * reasoning where the model has it. Without tools in the request it is text with reasoning.
   */
  | { type: "generic"; reasoning: ReasoningSyntax | null };

/** Replies without markup of any kind. */
export const plainSyntax: ReplySyntax = { type: "marked", reasoning: null, calls: null, dropped: [] };
