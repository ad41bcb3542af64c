import type { SamlStoreOpener, SamlStores } from '../../../src/application/ports/agent/saml-stores.js';
import type { SessionStoreOptions } from '../../../src/domain/agent/configuration/saml-options.js';
import { err, type Result } from '../../../src/domain/shared/result.js';

/** Opens nothing, and says what it was asked for. */
export class FakeStoreOpener implements SamlStoreOpener {
  readonly kinds: SessionStoreOptions['kind'][] = [];

  async open(options: SessionStoreOptions): Promise<Result<SamlStores, string>> {
    this.kinds.push(options.kind);
    return err('there is nothing to open');
  }
}
