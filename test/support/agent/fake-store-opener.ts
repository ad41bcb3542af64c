import type { SessionStoreOpener, SessionStores } from '../../../src/application/ports/agent/session-stores.js';
import type { SessionStoreOptions } from '../../../src/domain/agent/configuration/saml-options.js';
import { err, type Result } from '../../../src/domain/shared/result.js';

/** Opens nothing, and says what it was asked for. */
export class FakeStoreOpener implements SessionStoreOpener {
  readonly kinds: SessionStoreOptions['kind'][] = [];

  async open(options: SessionStoreOptions): Promise<Result<SessionStores, string>> {
    this.kinds.push(options.kind);
    return err('there is nothing to open');
  }
}
