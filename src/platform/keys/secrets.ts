/** What makes the secrets that a response shows once. */
export interface Secrets {
  /** The secret that derived tokens are computed from. */
  readonly tokenSecret: string;
  /** A random password with its hash. Errors: `busy`. */
  readonly newPassword: () => Promise<{ readonly password: string; readonly hash: string }>;
}
