/**
 * Whether a path belongs to the Messages API, whose clients send keys and read errors in their own way. Unknown paths
 * below it do, too: a refusal must be readable before it is known whether there is such an endpoint.
 */
export const isMessagesPath = (url: string): boolean => /^\/v1\/messages(?:[/?#]|$)/.test(url);
