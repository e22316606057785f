/**
 * Why a sign-in with a provider failed, in words for the person. The browser is sent back to the sign-in page with the
 * name of one of these; nothing that the provider wrote is shown.
 */
export const signInProblems = {
  unknown_provider: "This way to sign in does not exist any more. Choose another one.",
  unreachable: "The identity provider did not answer. Try again in a moment.",
  refused: "The identity provider did not let you sign in. Ask its administrator if you should be able to.",
  invalid:
    "What the identity provider answered could not be verified, so you were not signed in. Try again; if it stays, tell the operator of this service.",
  round_lost:
    "This sign-in took too long, was finished already, or was begun in another browser or tab. Try again.",
  second_factor:
    "This account has a second factor. Sign in with the password and that, then link the provider on the Account page.",
  too_many: "Too many people are signing in at the moment. Try again in a few minutes.",
  no_email: "The identity provider did not say what your email address is, and an account needs one.",
  no_account:
    "There is no account for you here yet, and this provider does not create one for your address. Ask the operator of this service.",
  address_taken:
    "An account with your address exists already. Sign in to it as before, then link the provider on its Account page.",
  suspended: "This account is suspended. Ask the operator of this service.",
  linked_elsewhere:
    "You are linked to another account with this provider. Sign in to that one and unlink it first.",
  someone_else:
    "You signed in as someone else there. Use the identity that your account here is linked to, then try again.",
  invitation_gone: "This invitation was used, revoked or has expired. Ask for a new one.",
  invitation_for_another:
    "This invitation is for another address than the one that the identity provider has of you.",
  unavailable: "Something went wrong on our side. Try again in a moment.",
} as const;

export type SignInProblem = keyof typeof signInProblems;

/** Thrown where a sign-in with a provider cannot go on. */
export class SignInFailed extends Error {
  /** The page of ours that says so; null for the one that people sign in on. */
  readonly page: string | null;

  constructor(
    readonly problem: SignInProblem,
    { page = null, ...options }: ErrorOptions & { page?: string | null } = {},
  ) {
    super(signInProblems[problem], options);
    this.name = "SignInFailed";
    this.page = page;
  }
}

/** For `catch`: the page that explains the failure. */
export const failingAt =
  (page: string) =>
  (error: unknown): never => {
    throw error instanceof SignInFailed ? new SignInFailed(error.problem, { page, cause: error }) : error;
  };
