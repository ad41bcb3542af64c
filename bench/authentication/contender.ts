/** One way to check one kind of credential, ready to be measured. */
export interface Check {
  /** Checks the credential of a request once; rejects or throws where it is not accepted. */
  run(index: number): unknown;
}

/** What is compared: everything that checks one kind of credential. The first row is what the ratios are against. */
export interface Comparison {
  readonly name: string;
  readonly describes: string;
  readonly rows: readonly Row[];
}

export interface Row {
  readonly name: string;
  readonly describes: string;
  readonly check: Check;
}
