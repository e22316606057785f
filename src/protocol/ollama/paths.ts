/**
 * Ollama's API shares `/api` with the dashboard's. These paths are Ollama's, whoever asks: they need a key, and nothing
 * that holds for pages of ours holds for them. The rest are the dashboard's.
 */
const ollamaPath =
  /^\/api\/(?:blobs|chat|copy|create|delete|embed|embeddings|generate|ps|pull|push|show|tags|version)(?:[/?#]|$)/;

export const isOllamaPath = (url: string): boolean => ollamaPath.test(url);
