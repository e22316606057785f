/** Whether code in a sentence may wrap: shorter code stays on one line (styles.css). */
export const longCode = (code: string): true | undefined => code.length > 28 || undefined;
