import type { PasswordVerifier } from '../../../src/application/ports/agent/password-verifier.js';
import type { PasswordHash } from '../../../src/domain/agent/identity/password-hash-rules.js';
import { err, ok, type Result } from '../../../src/domain/shared/result.js';

interface HeldCheck {
  readonly password: string;
  readonly hash: PasswordHash;
  readonly answer: (matches: boolean | 'failed') => void;
}

/** Checks that a test answers, in the order in which they began. */
export class HeldPasswordVerifier implements PasswordVerifier {
  readonly held: HeldCheck[] = [];
  /** Of all checks that ever began. */
  readonly passwords: string[] = [];
  readonly texts: string[] = [];

  matches(password: string, hash: PasswordHash): Promise<Result<boolean, string>> {
    this.passwords.push(password);
    this.texts.push(hash.text.reveal());
    return new Promise((settle) => {
      const answer = (matches: boolean | 'failed') =>
        settle(matches === 'failed' ? err('there is no memory') : ok(matches));
      this.held.push({ password, hash, answer });
    });
  }

  prepare(): Promise<Result<void, string>> {
    return Promise.resolve(ok(undefined));
  }

  /** Answers the check that began first, and lets what follows from it happen. */
  async answer(matches: boolean | 'failed'): Promise<void> {
    const [first] = this.held.splice(0, 1);
    if (first === undefined) throw new Error('no check runs');
    first.answer(matches);
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Answers all checks, those included that begin meanwhile. */
  async answerAll(matches: boolean | 'failed'): Promise<void> {
    while (this.held.length > 0) await this.answer(matches);
  }
}
