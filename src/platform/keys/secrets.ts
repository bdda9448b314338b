/** Sources of secrets that a response shows once: API tokens and passwords. */
export interface Secrets {
  /** Secret that API tokens are derived from. */
  readonly tokenSecret: string;
  /** A random password with its hash. Errors: `busy`. */
  readonly newPassword: () => Promise<{ readonly password: string; readonly hash: string }>;
}
