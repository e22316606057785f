import { passwordLength } from "../bounds.js";
import { UserError } from "../user-error.js";

// As in the dashboard's forms: a password chosen on the command line must be accepted there.
const { min: minLength, max: maxLength } = passwordLength;

/**
 * Length is the one rule, as NIST SP 800-63B advises: rules about digits and symbols make passwords harder
 * to remember and no harder to guess.
 */
export function checkPassword(password: string): string {
  const { length } = password;
  if (length < minLength) {
    throw new UserError(`The password has ${length} characters. Choose one with at least ${minLength}.`);
  }
  if (length > maxLength) {
    throw new UserError(`The password is too long. Choose one with at most ${maxLength} characters.`);
  }
  return password;
}
