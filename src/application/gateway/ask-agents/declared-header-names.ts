const isSameList = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((name, index) => name === other[index]);

/**
 * The header names that agents declared as their own in their last handshakes, by agent. They outlive configurations
 * and connections, so that a declaration still holds while its agent is away.
 */
export class DeclaredHeaderNames {
  readonly #byAgent = new Map<string, readonly string[]>();
  #revision = 0;

  /** Changes with every change of the names. */
  get revision(): number {
    return this.#revision;
  }

  declare(agent: string, names: readonly string[]): void {
    if (isSameList(this.#byAgent.get(agent) ?? [], names)) return;
    this.#byAgent.set(agent, names);
    this.#revision += 1;
  }

  /** Forgets all other agents. */
  keep(agents: ReadonlySet<string>): void {
    for (const agent of this.#byAgent.keys()) {
      if (agents.has(agent)) continue;
      this.#byAgent.delete(agent);
      this.#revision += 1;
    }
  }

  all(): readonly string[] {
    return [...this.#byAgent.values()].flat();
  }
}
