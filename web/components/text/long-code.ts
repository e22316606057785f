/** Whether code in a sentence may wrap: shorter code fits a line of any window, and stays on it (styles.css). */
export const longCode = (code: string): true | undefined => code.length > 28 || undefined;
