/** How long a posted form is kept over the sign-on of its user, in milliseconds. */
export const keptFormMs = 10 * 60_000;

/** Maximum forms in a store; the oldest make way. */
export const maximumKeptForms = 1_000;

/** A posted form that waits for the sign-on of its user, as stores keep it. Times are wall milliseconds. */
export interface KeptForm {
  /** SHA-256 of the handle, in lower-case hexadecimal. */
  readonly handleHash: string;
  /** The form, encrypted with a key that only the browser has. */
  readonly sealed: string;
  readonly createdMs: number;
  readonly expiresMs: number;
}
