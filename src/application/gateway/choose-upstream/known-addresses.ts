/** Hosts whose addresses are remembered: more than a configuration has that anybody would write. */
const maximumHosts = 10_000;

/** The addresses that hosts were last found to have, so that a reload while no name can be looked up loses none. */
export class KnownAddresses {
  readonly #byHost = new Map<string, readonly string[]>();

  /** Empty where none are known. */
  of(host: string): readonly string[] {
    return this.#byHost.get(host) ?? [];
  }

  note(host: string, addresses: readonly string[]): void {
    // The one that was found longest ago comes first.
    this.#byHost.delete(host);
    this.#byHost.set(host, addresses);
    for (const oldest of this.#byHost.keys()) {
      if (this.#byHost.size <= maximumHosts) return;
      this.#byHost.delete(oldest);
    }
  }
}
