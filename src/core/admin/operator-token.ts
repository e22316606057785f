/**
 * The setting with the token that `sotto top` reads the metrics with. Whoever can read the database may see them; it
 * opens nothing else.
 */
export const operatorTokenSetting = "operator_token";
