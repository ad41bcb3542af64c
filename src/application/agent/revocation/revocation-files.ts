import { nameKey } from '../../../domain/agent/client-certificates/distinguished-name.js';
import { readRevocationFile } from '../../../domain/agent/client-certificates/revocation-file.js';
import { maximumRevoked, type RevocationList } from '../../../domain/agent/client-certificates/revocation-list.js';
import {
  outdatedLists,
  prepareRevocations,
  type Revocations,
  type VerifiedList,
} from '../../../domain/agent/client-certificates/revocations.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { ReadCertificate } from '../../ports/shared/certificate-reader.js';
import type { ChangingFileReader } from '../../ports/shared/changing-file-reader.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { ScheduledTask, Scheduler } from '../../ports/shared/scheduler.js';

/** How often the agent looks for new lists, in milliseconds. */
export const revocationCheckIntervalMs = 5_000;

/** Maximum revoked certificates of all lists together. */
export const maximumRevokedTogether = 2 * maximumRevoked;

export interface RevocationFilesOptions {
  readonly paths: readonly string[];
  readonly authorities: readonly ReadCertificate[];
  readonly files: ChangingFileReader;
  readonly scheduler: Scheduler;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A file as last read. */
interface ReadFile {
  /** The lists of the last usable version. */
  readonly lists: readonly VerifiedList[];
  /** Of the last version that was read, usable or not. */
  readonly revision: string | null;
  /** Why the current version is not used, in one clause; null if it is. */
  readonly failure: string | null;
}

const unread: ReadFile = { lists: [], revision: null, failure: null };

/** An authority of that name whose key signed the list, and which may sign lists (RFC 5280, section 6.3.3). */
const signerOf = (list: RevocationList, authorities: readonly ReadCertificate[]): ReadCertificate | undefined => {
  const issuer = nameKey(list.issuer);
  return authorities.find((authority) => {
    const { isAuthority, keyUsage, subject } = authority.certificate;
    const maySign = isAuthority && (keyUsage === null || keyUsage.includes('list_signing'));
    return maySign && nameKey(subject) === issuer && authority.hasSigned(list.signed);
  });
};

const verify = (
  lists: readonly RevocationList[],
  authorities: readonly ReadCertificate[],
): Result<readonly VerifiedList[], string> => {
  const verified: VerifiedList[] = [];
  for (const [index, list] of lists.entries()) {
    const signer = signerOf(list, authorities);
    if (signer === undefined)
      return err(`holds a list that no authority of ca-cert-path signed: number ${index + 1}; add its issuer there`);
    verified.push({ list, signer: signer.certificate.fingerprint });
  }
  return ok(verified);
};

const countOf = (files: readonly ReadFile[]): number => {
  let count = 0;
  for (const { lists } of files) for (const { list } of lists) count += list.serials.size;
  return count;
};

/** The files with certificate revocation lists. A file that becomes unusable keeps its last usable lists in force. */
export class RevocationFiles {
  readonly #parts: RevocationFilesOptions;
  #files: readonly ReadFile[];
  #revocations: Revocations = new Map();
  #task: ScheduledTask | null = null;
  #isReading = false;
  #reported = '';
  readonly #listeners = new Set<() => void>();

  constructor(parts: RevocationFilesOptions) {
    this.#parts = parts;
    this.#files = parts.paths.map(() => unread);
  }

  /** The lists in force. Another object after every change. */
  current(): Revocations {
    return this.#revocations;
  }

  /** Reads all files; call once. Each error is one clause that begins with the path. */
  async load(): Promise<readonly string[]> {
    await this.#read();
    this.#reported = this.troubles().join('; ');
    return this.#files.flatMap(({ failure }, index) =>
      failure === null ? [] : [`the file ${this.#parts.paths[index]} ${failure}`],
    );
  }

  /** Looks for new versions from now on, until `release`. */
  watch(): void {
    this.#task ??= this.#parts.scheduler.every(revocationCheckIntervalMs, () => void this.#look());
  }

  /** Unusable files and outdated lists, a clause each. */
  troubles(): readonly string[] {
    const failures = this.#files.flatMap(({ failure }, index) =>
      failure === null ? [] : [`mtls: crl-file: the file ${this.#parts.paths[index]} ${failure}`],
    );
    const outdated = new Set(outdatedLists(this.#revocations, this.#parts.clock.wallMs()));
    const stale = this.#files.flatMap(({ lists }, index) =>
      lists.some(({ list }) => outdated.has(list))
        ? [`mtls: crl-file: the file ${this.#parts.paths[index]} holds an outdated list`]
        : [],
    );
    return [...failures, ...stale];
  }

  /** Calls the listener when `troubles` changes. The result unsubscribes it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Idempotent. The lists stay in force. */
  release(): void {
    this.#task?.cancel();
    this.#task = null;
  }

  async #look(): Promise<void> {
    // A slow file system must not start a second read.
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      await this.#read();
    } finally {
      this.#isReading = false;
    }
    this.#report();
  }

  #report(): void {
    const troubles = this.troubles();
    const reported = troubles.join('; ');
    if (reported === this.#reported) return;
    this.#reported = reported;
    if (troubles.length === 0) this.#parts.logger.info('all certificate revocation lists are current again');
    else this.#parts.logger.warn('certificate revocation lists cannot be relied on', { reasons: troubles });
    for (const listener of this.#listeners) listener();
  }

  async #read(): Promise<void> {
    const files: ReadFile[] = [];
    for (const [index, path] of this.#parts.paths.entries()) {
      files.push(await this.#readFile(path, this.#files[index] ?? unread));
    }
    const isChanged = files.some(({ lists }, index) => lists !== this.#files[index]?.lists);
    if (isChanged && countOf(files) > maximumRevokedTogether) {
      const failure = `makes the lists name more than ${maximumRevokedTogether} certificates together`;
      this.#files = files.map((file, index) => {
        const before = this.#files[index] ?? unread;
        return file.lists === before.lists ? file : { lists: before.lists, revision: file.revision, failure };
      });
      return;
    }
    this.#files = files;
    if (!isChanged) return;
    this.#revocations = prepareRevocations(files.flatMap(({ lists }) => lists));
    const revoked = countOf(files);
    this.#parts.logger.info('certificate revocation lists are in force', { files: files.length, revoked });
  }

  async #readFile(path: string, before: ReadFile): Promise<ReadFile> {
    const { files, authorities } = this.#parts;
    const version = await files.read(path, before.revision);
    if (!version.ok) return { lists: before.lists, revision: null, failure: version.error };
    if (version.value === null) return before;
    const { octets, revision } = version.value;
    const lists = readRevocationFile(octets);
    const verified = lists.ok ? verify(lists.value, authorities) : lists;
    return verified.ok
      ? { lists: verified.value, revision, failure: null }
      : { lists: before.lists, revision, failure: verified.error };
  }
}
