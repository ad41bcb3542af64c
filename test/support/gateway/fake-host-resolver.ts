import type { HostResolver } from '../../../src/application/ports/gateway/host-resolver.js';
import { err, ok, type Result } from '../../../src/domain/shared/result.js';

/** Names with the addresses that a test gives them; a name that it has given none cannot be found. */
export class FakeHostResolver implements HostResolver {
  readonly asked: string[] = [];
  readonly #addresses = new Map<string, readonly string[]>();
  /** Questions that get no answer until `answer` is called. */
  isSilent = false;
  #waiting: (() => void)[] = [];

  set(host: string, ...addresses: string[]): void {
    this.#addresses.set(host, addresses);
  }

  lose(host: string): void {
    this.#addresses.delete(host);
  }

  answer(): void {
    this.isSilent = false;
    for (const go of this.#waiting.splice(0)) go();
  }

  async resolve(host: string): Promise<Result<readonly string[], string>> {
    this.asked.push(host);
    if (this.isSilent) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    const addresses = this.#addresses.get(host);
    return addresses === undefined ? err('ENOTFOUND') : ok(addresses);
  }
}
