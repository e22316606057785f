/**
 * Chat templates of the families, abridged to what matters here: how they show tools, earlier calls, thoughts and the
 * beginning of a reply. Wording is shortened; layout and conditions are as in the models' own.
 */
export const templates = {
  qwen25: `{%- if tools %}{{- '<|im_start|>system\\n' }}
{%- if messages[0]['role'] == 'system' %}{{- messages[0]['content'] }}{%- else %}{{- 'You are Qwen.' }}{%- endif %}
{{- "\\n\\n# Tools\\n\\nFunctions within <tools></tools> tags:\\n<tools>" }}
{%- for tool in tools %}{{- "\\n" }}{{- tool | tojson }}{%- endfor %}
{{- "\\n</tools>\\n\\nFor each call return a json object within <tool_call></tool_call> tags:\\n<tool_call>\\n{\\"name\\": <function-name>, \\"arguments\\": <args-json-object>}\\n</tool_call><|im_end|>\\n" }}
{%- else %}{{- '<|im_start|>system\\nYou are Qwen.<|im_end|>\\n' }}{%- endif %}
{%- for message in messages %}
{%- if (message.role == "user") or (message.role == "system" and not loop.first) or (message.role == "assistant" and not message.tool_calls) %}
{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}
{%- elif message.role == "assistant" %}{{- '<|im_start|>' + message.role }}
{%- if message.content %}{{- '\\n' + message.content }}{%- endif %}
{%- for tool_call in message.tool_calls %}{%- if tool_call.function is defined %}{%- set tool_call = tool_call.function %}{%- endif %}
{{- '\\n<tool_call>\\n{"name": "' }}{{- tool_call.name }}{{- '", "arguments": ' }}{{- tool_call.arguments | tojson }}{{- '}\\n</tool_call>' }}
{%- endfor %}{{- '<|im_end|>\\n' }}
{%- elif message.role == "tool" %}{{- '<|im_start|>user\\n<tool_response>\\n' + message.content + '\\n</tool_response><|im_end|>\\n' }}
{%- endif %}{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}`,

  qwen3: `{%- if tools %}{{- '<|im_start|>system\\n' }}
{{- "# Tools\\n\\nFunctions within <tools></tools> tags:\\n<tools>" }}
{%- for tool in tools %}{{- "\\n" }}{{- tool | tojson }}{%- endfor %}
{{- "\\n</tools>\\n\\nFor each call return a json object within <tool_call></tool_call> tags:\\n<tool_call>\\n{\\"name\\": <function-name>, \\"arguments\\": <args-json-object>}\\n</tool_call><|im_end|>\\n" }}{%- endif %}
{%- set ns = namespace(last_query_index=messages|length - 1) %}
{%- for message in messages[::-1] %}{%- set index = (messages|length - 1) - loop.index0 %}
{%- if message.role == "user" and ns.last_query_index == messages|length - 1 %}{%- set ns.last_query_index = index %}{%- endif %}{%- endfor %}
{%- for message in messages %}
{%- if (message.role == "user") or (message.role == "system" and not loop.first) %}
{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}
{%- elif message.role == "assistant" %}{%- set content = message.content %}{%- set reasoning_content = '' %}
{%- if message.reasoning_content is defined and message.reasoning_content is not none %}{%- set reasoning_content = message.reasoning_content %}
{%- elif '</think>' in message.content %}{%- set content = message.content.split('</think>')[-1].lstrip('\\n') %}
{%- set reasoning_content = message.content.split('</think>')[0].rstrip('\\n').split('<think>')[-1].lstrip('\\n') %}{%- endif %}
{%- if loop.index0 > ns.last_query_index and (loop.last or reasoning_content) %}
{{- '<|im_start|>' + message.role + '\\n<think>\\n' + reasoning_content.strip('\\n') + '\\n</think>\\n\\n' + content.lstrip('\\n') }}
{%- else %}{{- '<|im_start|>' + message.role + '\\n' + content }}{%- endif %}
{%- if message.tool_calls %}{%- for tool_call in message.tool_calls %}
{%- if (loop.first and content) or (not loop.first) %}{{- '\\n' }}{%- endif %}
{%- if tool_call.function %}{%- set tool_call = tool_call.function %}{%- endif %}
{{- '<tool_call>\\n{"name": "' }}{{- tool_call.name }}{{- '", "arguments": ' }}
{%- if tool_call.arguments is string %}{{- tool_call.arguments }}{%- else %}{{- tool_call.arguments | tojson }}{%- endif %}
{{- '}\\n</tool_call>' }}{%- endfor %}{%- endif %}{{- '<|im_end|>\\n' }}
{%- elif message.role == "tool" %}{{- '<|im_start|>user\\n<tool_response>\\n' + message.content + '\\n</tool_response><|im_end|>\\n' }}
{%- endif %}{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}
{%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\\n\\n</think>\\n\\n' }}{%- endif %}{%- endif %}`,

  qwen3Coder: `{%- if tools %}{{- '<|im_start|>system\\n# Tools\\n\\n<tools>' }}
{%- for tool in tools %}{{- '\\n<function>\\n<name>' ~ tool.function.name ~ '</name>\\n<description>' ~ tool.function.description ~ '</description>\\n<parameters>' }}
{%- for name, fields in tool.function.parameters.properties|items %}{{- '\\n<parameter>\\n<name>' ~ name ~ '</name>\\n</parameter>' }}{%- endfor %}
{{- '\\n</parameters>\\n</function>' }}{%- endfor %}
{{- '\\n</tools>\\n\\nReply in this format:\\n\\n<tool_call>\\n<function=example_function_name>\\n<parameter=example_parameter_1>\\nvalue_1\\n</parameter>\\n</function>\\n</tool_call><|im_end|>\\n' }}{%- endif %}
{%- for message in messages %}
{%- if message.role == "assistant" and message.tool_calls is defined and message.tool_calls is iterable and message.tool_calls | length > 0 %}
{{- '<|im_start|>' + message.role }}
{%- if message.content is defined and message.content is string and message.content | trim | length > 0 %}{{- '\\n' + message.content | trim + '\\n' }}{%- endif %}
{%- for tool_call in message.tool_calls %}{%- if tool_call.function is defined %}{%- set tool_call = tool_call.function %}{%- endif %}
{{- '\\n<tool_call>\\n<function=' + tool_call.name + '>\\n' }}
{%- if tool_call.arguments is defined %}{%- for args_name, args_value in tool_call.arguments|items %}
{{- '<parameter=' + args_name + '>\\n' }}{%- set args_value = args_value if args_value is string else args_value | string %}{{- args_value }}{{- '\\n</parameter>\\n' }}
{%- endfor %}{%- endif %}{{- '</function>\\n</tool_call>' }}{%- endfor %}{{- '<|im_end|>\\n' }}
{%- elif message.role == "tool" %}{{- '<|im_start|>user\\n<tool_response>\\n' + message.content + '\\n</tool_response>\\n<|im_end|>\\n' }}
{%- else %}{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}{%- endif %}{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}`,

  llama31: `{{- bos_token }}{%- if not tools is defined %}{%- set tools = none %}{%- endif %}
{{- "<|start_header_id|>system<|end_header_id|>\\n\\n" }}{%- if tools is not none %}{{- "Environment: ipython\\n" }}{%- endif %}{{- "<|eot_id|>" }}
{%- if not tools is none %}
{%- set first_user_message = messages[0]['content']|trim %}{%- set messages = messages[1:] %}
{{- '<|start_header_id|>user<|end_header_id|>\\n\\nRespond in the format {"name": function name, "parameters": dictionary of argument name and its value}.\\n\\n' }}
{%- for t in tools %}{{- t | tojson(indent=4) }}{{- "\\n\\n" }}{%- endfor %}{{- first_user_message + "<|eot_id|>"}}{%- endif %}
{%- for message in messages %}
{%- if not (message.role == 'ipython' or message.role == 'tool' or 'tool_calls' in message) %}
{{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n'+ message['content'] | trim + '<|eot_id|>' }}
{%- elif 'tool_calls' in message %}
{%- if not message.tool_calls|length == 1 %}{{- raise_exception("This model only supports single tool-calls at once!") }}{%- endif %}
{%- set tool_call = message.tool_calls[0].function %}
{%- if builtin_tools is defined and tool_call.name in builtin_tools %}{{- "<|python_tag|>" + tool_call.name + ".call()" }}{%- else %}
{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' -}}{{- '{"name": "' + tool_call.name + '", ' }}{{- '"parameters": ' }}{{- tool_call.arguments | tojson }}{{- "}" }}{%- endif %}{{- "<|eot_id|>" }}
{%- else %}{{- "<|start_header_id|>ipython<|end_header_id|>\\n\\n" + (message.content | tojson) + "<|eot_id|>" }}{%- endif %}{%- endfor %}
{%- if add_generation_prompt %}{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{%- endif %}`,

  mistralNemo: `{%- if not tools is defined %}{%- set tools = none %}{%- endif %}
{%- set user_messages = messages | selectattr("role", "equalto", "user") | list %}{{- bos_token }}
{%- for message in messages %}
{%- if message["role"] == "user" %}
{%- if tools is not none and (message == user_messages[-1]) %}{{- "[AVAILABLE_TOOLS][" }}
{%- for tool in tools %}{{- tool | tojson }}{%- if not loop.last %}{{- ", " }}{%- endif %}{%- endfor %}{{- "][/AVAILABLE_TOOLS]" }}{%- endif %}
{{- "[INST]" + message["content"] + "[/INST]" }}
{%- elif message.tool_calls is defined and message.tool_calls is not none %}{{- "[TOOL_CALLS][" }}
{%- for tool_call in message.tool_calls %}{%- set out = tool_call.function|tojson %}{{- out[:-1] }}
{%- if not tool_call.id is defined or tool_call.id|length != 9 %}{{- raise_exception("Tool call IDs should be alphanumeric strings with length 9!") }}{%- endif %}
{{- ', "id": "' + tool_call.id + '"}' }}{%- if not loop.last %}{{- ", " }}{%- else %}{{- "]" + eos_token }}{%- endif %}{%- endfor %}
{%- elif message["role"] == "assistant" %}{{- message["content"] + eos_token }}
{%- elif message["role"] == "tool" %}{{- '[TOOL_RESULTS]{"content": ' + message.content|string + ', "call_id": "' + message.tool_call_id + '"}[/TOOL_RESULTS]' }}
{%- endif %}{%- endfor %}`,

  mistralSmall32: `{{- bos_token }}{%- if not tools is defined %}{%- set tools = none %}{%- endif %}
{%- set user_messages = messages | selectattr("role", "equalto", "user") | list %}
{{- '[SYSTEM_PROMPT]You are Mistral.[/SYSTEM_PROMPT]' }}
{%- for message in messages %}
{%- if message['role'] == 'user' %}
{%- if tools is not none and (message == user_messages[-1]) %}{{- '[AVAILABLE_TOOLS]' + tools|tojson + '[/AVAILABLE_TOOLS]' }}{%- endif %}
{{- '[INST]' + message['content'] + '[/INST]' }}
{%- elif message['role'] == 'assistant' %}
{%- if message.get('tool_calls') %}{%- for tool_call in message.tool_calls %}{{- '[TOOL_CALLS]' + tool_call.function.name }}
{%- if not tool_call.id is defined or tool_call.id is not string or tool_call.id|length != 9 %}{{- raise_exception("Tool call IDs should be alphanumeric strings with length 9!") }}{%- endif %}
{{- '[CALL_ID]' + tool_call.id }}{{- '[ARGS]' + tool_call['function']['arguments']|tojson }}{%- endfor %}{{- eos_token }}
{%- else %}{{- message['content'] + eos_token }}{%- endif %}
{%- elif message['role'] == 'tool' %}{{- '[TOOL_RESULTS]' + message.tool_call_id + '[TOOL_CONTENT]' + message.content|string + '[/TOOL_RESULTS]' }}
{%- endif %}{%- endfor %}`,

  magistral: `{{- bos_token }}{{- '[SYSTEM_PROMPT]First draft your thinking process. Your thinking process must follow the template below:[THINK]Your thoughts.[/THINK]Here, provide a response.[/SYSTEM_PROMPT]' }}
{%- if tools is defined and tools is not none and tools|length > 0 %}{{- '[AVAILABLE_TOOLS]' + (tools| tojson) + '[/AVAILABLE_TOOLS]' }}{%- endif %}
{%- for message in messages %}
{%- if message['role'] == 'user' %}{{- '[INST]' + message['content'] + '[/INST]' }}
{%- elif message['role'] == 'assistant' %}
{%- if message['content'] is string and message['content'] != '' %}{{- message['content'] }}{%- endif %}
{%- if message['tool_calls'] is defined and message['tool_calls'] is not none %}{%- for tool in message['tool_calls'] %}
{%- set arguments = tool['function']['arguments'] %}{%- if arguments is not string %}{%- set arguments = arguments|tojson|safe %}{%- endif %}
{{- '[TOOL_CALLS]' + tool['function']['name'] + '[ARGS]' + arguments }}{%- endfor %}{%- endif %}{{- eos_token }}
{%- elif message['role'] == 'tool' %}{{- '[TOOL_RESULTS]' + message['content']|string + '[/TOOL_RESULTS]' }}
{%- endif %}{%- endfor %}`,

  granite33: `{%- set system_message = "You are Granite." %}
{%- if tools %}{%- set system_message = system_message + " When a tool is required to answer the user's query, respond only with <|tool_call|> followed by a JSON list of tools used." %}
{%- elif thinking %}{%- set system_message = system_message + " Write your thoughts between <think></think> and write your response between <response></response> for each user query." %}{%- endif %}
{{- '<|start_of_role|>system<|end_of_role|>' + system_message + '<|end_of_text|>\\n' }}
{%- if tools %}{{- '<|start_of_role|>available_tools<|end_of_role|>' }}{{- tools | tojson(indent=4) }}{{- '<|end_of_text|>\\n' }}{%- endif %}
{%- for message in messages %}{{- '<|start_of_role|>' + message['role'] + '<|end_of_role|>' + message['content'] + '<|end_of_text|>\\n' }}
{%- if loop.last and add_generation_prompt %}{{- '<|start_of_role|>assistant<|end_of_role|>' }}{%- endif %}{%- endfor %}`,

  /** Looks for the tools in the system message, and leaves calls out. */
  phi4Mini: `{% for message in messages %}{% if message['role'] == 'system' and 'tools' in message and message['tools'] is not none %}{{ '<|' + message['role'] + '|>' + message['content'] + '<|tool|>' + message['tools'] + '<|/tool|>' + '<|end|>' }}{% else %}{{ '<|' + message['role'] + '|>' + message['content'] + '<|end|>' }}{% endif %}{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>' }}{% else %}{{ eos_token }}{% endif %}`,

  /** With calls, as a widely used version has it. */
  phi4MiniCalls: `{%- for message in messages %}
{%- if loop.first and tools %}{{- '<|system|>You are a helpful assistant with some tools.<|tool|>' + (tools | tojson) + '<|/tool|><|end|>' }}{%- endif %}
{%- if message['role'] == 'tool' %}{{- '<|tool_response|>' + (message['content'] | tojson) + '<|end|>' }}
{%- else %}{{- '<|' + message['role'] + '|>' }}{%- if message.content %}{{- message['content'] }}{%- endif %}
{%- for tool_call in message.tool_calls %}{{- '<|tool_call|>' + (tool_call['function'] | tojson) + '<|/tool_call|>' }}{%- endfor %}{{- '<|end|>' }}
{%- endif %}{%- endfor %}
{%- if add_generation_prompt %}{{- '<|assistant|>' }}{%- else %}{{- eos_token }}{%- endif %}`,

  deepSeekR1: `{{- bos_token }}{%- if tools %}{{- 'You can call any of the following function tools: ' + (tools | tojson(indent=4)) + '\\n\\nExample function tool call syntax:\\n\\n<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>example_function_name\\n\`\`\`json\\n{\\n  "arg1": "some_value"\\n}\\n\`\`\`\\n<｜tool▁call▁end｜><｜tool▁calls▁end｜>\\n\\n' }}{%- endif %}
{%- for message in messages %}
{%- if message['role'] == 'user' %}{{- '<｜User｜>' + message['content'] }}{%- endif %}
{%- if message['role'] == 'assistant' and message['content'] is none %}{{- '<｜Assistant｜><｜tool▁calls▁begin｜>' }}
{%- for tool in message['tool_calls'] %}{%- if not loop.first %}{{- '\\n' }}{%- endif %}
{{- '<｜tool▁call▁begin｜>' + tool['type'] + '<｜tool▁sep｜>' + tool['function']['name'] + '\\n\`\`\`json\\n' + tool['function']['arguments'] + '\\n\`\`\`<｜tool▁call▁end｜>' }}{%- endfor %}
{{- '<｜tool▁calls▁end｜><｜end▁of▁sentence｜>' }}{%- endif %}
{%- if message['role'] == 'assistant' and message['content'] is not none %}{%- set content = message['content'] %}
{%- if '</think>' in content %}{%- set content = content.split('</think>')[-1] %}{%- endif %}{{- '<｜Assistant｜>' + content + '<｜end▁of▁sentence｜>' }}{%- endif %}
{%- endfor %}{%- if add_generation_prompt %}{{- '<｜Assistant｜><think>\\n' }}{%- endif %}`,

  /** Shows earlier calls, but not the tools. */
  deepSeekV31: `{%- if not thinking is defined %}{%- set thinking = false %}{%- endif %}{{- bos_token }}{%- set ns = namespace(is_last_user=false) %}
{%- for message in messages %}
{%- if message['role'] == 'user' %}{%- set ns.is_last_user = true %}{{- '<｜User｜>' + message['content'] }}{%- endif %}
{%- if message['role'] == 'assistant' and message['tool_calls'] is defined and message['tool_calls'] is not none %}{{- '<｜Assistant｜></think>' }}
{%- for tool in message['tool_calls'] %}{%- if loop.first %}{{- '<｜tool▁calls▁begin｜>' }}{%- endif %}
{{- '<｜tool▁call▁begin｜>' + tool['function']['name'] + '<｜tool▁sep｜>' + tool['function']['arguments'] + '<｜tool▁call▁end｜>' }}{%- endfor %}
{{- '<｜tool▁calls▁end｜><｜end▁of▁sentence｜>' }}
{%- elif message['role'] == 'assistant' %}{{- '<｜Assistant｜></think>' + message['content'] + '<｜end▁of▁sentence｜>' }}{%- endif %}{%- endfor %}
{%- if add_generation_prompt %}{{- '<｜Assistant｜>' }}{%- if not thinking %}{{- '</think>' }}{%- else %}{{- '<think>' }}{%- endif %}{%- endif %}`,

  glm45: `[gMASK]<sop>
{%- if tools -%}
<|system|>
# Tools

<tools>
{% for tool in tools %}
{{ tool | tojson }}
{% endfor %}
</tools>

Output calls within the following XML format:
<tool_call>{function-name}
<arg_key>{arg-key-1}</arg_key>
<arg_value>{arg-value-1}</arg_value>
...
</tool_call>{%- endif -%}
{%- for m in messages %}
{%- if m.role == 'user' -%}<|user|>
{{ m.content }}{{- '/nothink' if (enable_thinking is defined and not enable_thinking) else '' -}}
{%- elif m.role == 'assistant' -%}
<|assistant|>
{%- if m.reasoning_content is string -%}{{ '\\n<think>' + m.reasoning_content.strip() +  '</think>'}}{%- else -%}{{ '\\n<think></think>' }}{%- endif -%}
{%- if m.content.strip() -%}{{ '\\n' + m.content.strip() }}{%- endif -%}
{% if m.tool_calls %}{% for tc in m.tool_calls %}{%- if tc.function %}{%- set tc = tc.function %}{%- endif %}
{{ '\\n<tool_call>' + tc.name }}
{% set _args = tc.arguments %}{% for k, v in _args.items() %}
<arg_key>{{ k }}</arg_key>
<arg_value>{{ v | tojson if v is not string else v }}</arg_value>
{% endfor %}
</tool_call>{% endfor %}{% endif %}
{%- elif m.role == 'tool' -%}<|observation|>{{- '\\n<tool_response>\\n' + m.content + '\\n</tool_response>' }}
{%- endif -%}{%- endfor -%}
{%- if add_generation_prompt -%}<|assistant|>{{- '\\n<think></think>' if (enable_thinking is defined and not enable_thinking) else '' -}}{%- endif -%}`,

  commandR7b: `{{ bos_token }}<|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|># System Preamble
{% if tools %}
Start by writing <|START_THINKING|> followed by a plan, and close it out with <|END_THINKING|>. Action: write <|START_ACTION|> followed by a list of JSON-formatted tool calls, with each one containing "tool_name" and "parameters" fields. When you finish, close it out with <|END_ACTION|>. Response: write <|START_RESPONSE|> followed by a piece of text. When you finish, close it out with <|END_RESPONSE|>.

\`\`\`json
[
{% for tool in tools %}
    {"name": "{{ tool['function']['name'] }}", "description": "{{tool['function']['description']}}", "parameters": {{ tool['function']['parameters']|tojson }}, "responses": null}{%- if not loop.last %},{% endif %}

{% endfor %}
]
\`\`\`

{% endif %}<|END_OF_TURN_TOKEN|>
{%- for message in messages %}
{%- if message.role|lower == 'user' %}
<|START_OF_TURN_TOKEN|><|USER_TOKEN|>{{ message.content }}<|END_OF_TURN_TOKEN|>
{%- elif message.role|lower == 'assistant' %}
<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>{% if message.tool_calls %}<|START_THINKING|>{{message.reasoning_content}}<|END_THINKING|><|START_ACTION|>[
    {% for tc in message.tool_calls %}
    {"tool_call_id": "{{ loop.index0 }}", "tool_name": "{{ tc['function']['name'] }}", "parameters": {{ tc['function']['arguments']|tojson }}}{% if not loop.last %},{% endif %}

    {% endfor %}
]<|END_ACTION|><|END_OF_TURN_TOKEN|>{% else %}<|START_RESPONSE|>{{message.content}}<|END_RESPONSE|><|END_OF_TURN_TOKEN|>{% endif %}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>{% endif %}`,

  gptOss: `{{- "<|start|>system<|message|>You are ChatGPT.\\n\\nReasoning: " + (reasoning_effort if reasoning_effort is defined else "medium") + "\\n\\n# Valid channels: analysis, commentary, final.<|end|>" }}
{%- if tools %}{{- "<|start|>developer<|message|># Tools\\n\\n## functions\\n\\nnamespace functions {\\n\\n" }}
{%- for tool in tools %}{%- set tool = tool.function %}{{- "// " + tool.description + "\\ntype " + tool.name + " = (_: {\\n" }}
{%- for name, spec in tool.parameters.properties.items() %}{{- name + ": " + spec.type + ",\\n" }}{%- endfor %}{{- "}) => any;\\n\\n" }}{%- endfor %}{{- "} // namespace functions<|end|>" }}{%- endif %}
{%- for message in messages %}
{%- if message.role == 'assistant' %}
{%- if "tool_calls" in message %}{%- set tool_call = message.tool_calls[0].function %}
{%- if message.content %}{{- "<|start|>assistant<|channel|>analysis<|message|>" + message.content + "<|end|>" }}{%- endif %}
{{- "<|start|>assistant to=" }}{{- "functions." + tool_call.name + "<|channel|>commentary json<|message|>" }}{{- tool_call.arguments|tojson }}{{- "<|call|>" }}
{%- else %}{{- "<|start|>assistant<|channel|>final<|message|>" + message.content + "<|end|>" }}{%- endif %}
{%- elif message.role == 'user' %}{{- "<|start|>user<|message|>" + message.content + "<|end|>" }}{%- endif %}{%- endfor %}
{%- if add_generation_prompt %}<|start|>assistant{%- endif %}`,

  seedOss: `{{- '<seed:bos>system\\n' }}
{%- if not tools is defined or tools is none %}{%- set tools = [] %}{%- endif %}{%- for item in tools %}{{- '\\nFunction:\\ndef ' + item.function.name + '():\\n' + item.function.description }}{%- endfor %}{{- '<seed:eos>' }}
{%- for message in messages %}{{- '<seed:bos>' + message.role }}
{%- if message.reasoning_content is defined and message.reasoning_content is string %}{{- '\\n<seed:think>' + message.reasoning_content + '</seed:think>' }}{%- endif %}
{%- if message.content is string and message.content | trim | length > 0 %}{{- '\\n' + message.content | trim }}{%- endif %}
{%- for tool_call in message.tool_calls %}{{- '\\n<seed:tool_call>\\n<function=' + tool_call.function.name + '>\\n' }}
{%- for arg_name, arg_value in tool_call.function.arguments | items %}{{- '<parameter=' + arg_name + '>' }}{%- set arg_value = arg_value if arg_value is string else arg_value | string %}{{- arg_value + '</parameter>\\n' }}{%- endfor %}
{{- '</function>\\n</seed:tool_call>' }}{%- endfor %}{{- '<seed:eos>' }}{%- endfor %}
{%- if add_generation_prompt %}{{- '<seed:bos>assistant\\n' }}{%- endif %}`,

  miniMaxM2: `{{- ']~!b[]~b]system\\n' }}
{%- if tools %}{{- '# Tools\\n\\n<tools>\\n' }}{%- for tool in tools %}{{- '<tool>' ~ (tool.function | tojson) ~ '</tool>\\n' }}{%- endfor %}
{{- '</tools>\\n\\nUse XML to invoke tools:\\n\\n<minimax:tool_call>\\n<invoke name="tool-name-1">\\n<parameter name="param-key-1">param-value-1</parameter>\\n</invoke>\\n</minimax:tool_call>' }}{%- endif %}{{- '[e~[\\n' }}
{%- for message in messages %}
{%- if message.role == 'assistant' %}{{- ']~b]ai\\n' }}
{%- if message.reasoning_content is string %}{{- '<think>\\n' ~ message.reasoning_content ~ '\\n</think>\\n\\n' }}{%- endif %}
{%- if message.content %}{{- message.content }}{%- endif %}
{%- if message.tool_calls %}{{- '\\n<minimax:tool_call>\\n' }}
{%- for tool_call in message.tool_calls %}{{- '<invoke name="' + tool_call.function.name + '">\\n' }}
{%- if tool_call.function.arguments is mapping %}{%- for k, v in tool_call.function.arguments|items %}{{- '<parameter name="' + k + '">' }}{{- v if v is string else v | tojson }}{{- '</parameter>\\n' }}{%- endfor %}{%- endif %}{{- '</invoke>\\n' }}{%- endfor %}
{{- '</minimax:tool_call>' }}{%- endif %}{{- '[e~[\\n' }}
{%- elif message.role == 'user' %}{{- ']~b]user\\n' + message.content + '[e~[\\n' }}{%- endif %}{%- endfor %}
{%- if add_generation_prompt %}{{- ']~b]ai\\n<think>\\n' }}{%- endif %}`,

  nemotronNano2: `{{- '<SPECIAL_10>System\\n' }}
{%- if tools %}{{- '<AVAILABLE_TOOLS>[' }}{%- for tool in tools %}{{- tool.function | tojson }}{{- ', ' if not loop.last else '' }}{%- endfor %}
{{- ']</AVAILABLE_TOOLS>\\n\\nTo call tools use this format:\\n<TOOLCALL>[{"name": "tool_name1", "arguments": "tool_args1"}]</TOOLCALL>' }}{%- endif %}{{- '\\n\\n' }}
{%- for message in messages %}
{%- if message.role == 'user' %}{{- '<SPECIAL_11>User\\n' + message.content + '\\n' }}
{%- elif message.role == 'assistant' %}{{- '<SPECIAL_11>Assistant\\n' + (message.content if message.content is not none else '') }}
{%- if message.tool_calls %}{{- '<TOOLCALL>[' }}{%- for call in message.tool_calls %}{{- '{"name": "' + call.function.name + '", "arguments": ' }}
{%- if call.function.arguments is string %}{{- call.function.arguments }}{%- else %}{{- call.function.arguments | tojson }}{%- endif %}{{- '}' + (', ' if not loop.last else '') }}{%- endfor %}{{- ']</TOOLCALL>' }}{%- endif %}{{- '\\n<SPECIAL_12>\\n\\n' }}{%- endif %}{%- endfor %}
{%- if add_generation_prompt %}{{- '<SPECIAL_11>Assistant\\n<think>\\n\\n' }}{%- endif %}`,

  apriel15: `{{- bos_token }}
{%- if tools %}{{- '<|system|>\\n<available_tools>\\n' }}{%- for tool in tools %}{{- tool | tojson + '\\n' }}{%- endfor %}
{{- '</available_tools>\\nReturn all calls as a list:\\n<tool_calls>[{"name": <function-name-1>, "arguments": <args-dict-1>}]</tool_calls>\\n<|end|>\\n' }}{%- endif %}
{%- for message in messages %}
{%- if message.role == 'user' %}{{- '<|user|>\\n' + message.content + '\\n<|end|>\\n' }}
{%- elif message.role == 'assistant' %}{{- '<|assistant|>\\n' }}{%- if message.content %}{{- message.content }}{%- endif %}
{%- if message.tool_calls %}{{- '\\n<tool_calls>[' }}{%- for call in message.tool_calls %}{{- '{"name": "' + call.function.name + '", "arguments": ' + call.function.arguments | string + '}' }}{{- ', ' if not loop.last else '' }}{%- endfor %}{{- ']</tool_calls>' }}{%- endif %}{{- '\\n<|end|>\\n' }}{%- endif %}{%- endfor %}
{%- if add_generation_prompt %}{{- '<|assistant|>\\n' }}{%- endif %}`,

  /** Shows tools, and calls in a format that no family has. */
  unknownCalls: `{{- (tools | tojson) if tools else '' }}
{%- for message in messages %}{{- '<|' + message.role + '|>' }}{%- if message.content %}{{- message.content }}{%- endif %}
{%- for call in message.tool_calls %}{{- '<do>' + call.function.name + '<with>' + (call.function.arguments | tojson) + '</do>' }}{%- endfor %}{{- '<|eot|>' }}{%- endfor %}
{%- if add_generation_prompt %}{{- '<|assistant|>' }}{%- endif %}`,

  gemma3: `{{ bos_token }}{%- for message in messages %}
{%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception("Conversation roles must alternate") }}{%- endif %}
{{- '<start_of_turn>' + ('model' if message['role'] == 'assistant' else message['role']) + '\\n' + message['content'] | trim + '<end_of_turn>\\n' }}{%- endfor %}
{%- if add_generation_prompt %}{{- '<start_of_turn>model\\n' }}{%- endif %}`,

  /** Thinks, but does not show tools, though it shows earlier calls. */
  deepSeekR1Distill: `{{- bos_token }}{%- for message in messages %}
{%- if message['role'] == 'user' %}{{- '<｜User｜>' + message['content'] }}
{%- elif message['content'] is none %}{{- '<｜Assistant｜><｜tool▁calls▁begin｜>' }}{%- for tool in message['tool_calls'] %}{{- '<｜tool▁call▁begin｜>' + tool['type'] + '<｜tool▁sep｜>' + tool['function']['name'] + '\\n\`\`\`json\\n' + tool['function']['arguments'] + '\\n\`\`\`<｜tool▁call▁end｜>' }}{%- endfor %}{{- '<｜tool▁calls▁end｜><｜end▁of▁sentence｜>' }}
{%- else %}{%- set content = message['content'] %}{%- if '</think>' in content %}{%- set content = content.split('</think>')[-1] %}{%- endif %}{{- '<｜Assistant｜>' + content + '<｜end▁of▁sentence｜>' }}{%- endif %}{%- endfor %}
{%- if add_generation_prompt %}{{- '<｜Assistant｜><think>\\n' }}{%- endif %}`,
} as const;

export type TemplateName = keyof typeof templates;
