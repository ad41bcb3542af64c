/** Tells whoever works for somebody that nobody waits for the outcome any more. */
export interface Cancellation {
  /** Calls back when that comes about, once; at once where it has. The result ends that. */
  onCancel(listener: () => void): () => void;
}
