import { err, ok, type Result } from '../../shared/result.js';
import { Secret } from '../../shared/secret.js';
import { utf8Length } from '../../shared/utf8.js';
import { looksHashed, readPasswordHash, weakness } from '../identity/password-hash-rules.js';
import {
  allowsNothing,
  checkExchangeList,
  checkExchangePermissions,
  type ExchangeMethods,
} from './exchange-permission-rules.js';
import type { ExchangeReport, ReportedClient } from './option-report.js';
import type {
  ClientSecret,
  ExchangeClientBlockOptions,
  ExchangeClientOptions,
  TokenExchangeBlockOptions,
} from './token-exchange-options.js';

const digestPrefix = 'sha256:';
const hexadecimalDigest = /^[0-9a-f]{64}$/i;
const namedDigest = /^[0-9a-f]{64}:[\x20-\x7e]{1,64}$/i;
/** RFC 6749, appendix A.2. */
const printable = /^[\x20-\x7e]+$/;

/** Octets that a secret, which is sent as it is, has at least without a warning. */
const shortestClientSecret = 16;

/**
 * Reads the secret of a client: `sha256:<digest>`, a password hash, or the secret itself. The error is the end of a
 * sentence that begins with the secret; it holds nothing of it.
 */
const parseClientSecret = (secret: Secret): Result<ClientSecret, string> => {
  const text = secret.reveal();
  // It may be a slip, or the end of the secret: to drop it would be a guess.
  if (text !== text.trim()) return err('begins or ends with white space: remove it');
  if (text.toLowerCase().startsWith(digestPrefix)) {
    const digest = text.slice(digestPrefix.length);
    // What `hash-key --name` prints, for an API key.
    if (namedDigest.test(digest)) {
      return err('has a name behind its digest, as the entry of an API key: leave out :<name>');
    }
    if (!hexadecimalDigest.test(digest)) return err('has no 64 hexadecimal digits after sha256:');
    return ok({ kind: 'sha256', digest: new Secret(digest.toLowerCase()) });
  }
  if (looksHashed(text)) return readPasswordHash(text);
  if (!printable.test(text)) return err('has characters other than printable ASCII');
  return ok({ kind: 'plain', text: secret });
};

/** The same text for the same secret, where it is kept in the same way. It is as secret as that. */
const clientSecretText = (secret: ClientSecret): string =>
  `${secret.kind} ${(secret.kind === 'sha256' ? secret.digest : secret.text).reveal()}`;

const maximumClients = 1000;
/** Secrets of one client, at most. */
const maximumSecrets = 8;
/** Of them, those that are hashed: a wrong secret of whatever client costs as many checks as one has. */
const maximumHashedSecrets = 3;
/** A wrong signature costs as many verifications, on the thread that judges requests. */
const maximumKeyFiles = 4;
/** RFC 6749, section 2.3.1: in Basic they are read as a space and as an escape. */
const readOtherwise = /[+%]/;

const warnOfWeakness = (secret: ClientSecret, place: string, report: ExchangeReport): void => {
  if (secret.kind === 'sha256') return;
  if (secret.kind !== 'plain') {
    const found = weakness(secret);
    if (found !== null) report.warning(`${place} is kept as ${found}`, 'secret');
    return;
  }
  const text = secret.text.reveal();
  if (utf8Length(text) < shortestClientSecret) {
    report.warning(`${place} has fewer than ${shortestClientSecret} bytes: it can be guessed`, 'secret');
  }
  if (readOtherwise.test(text)) {
    report.warning(
      `${place} has a "+" or "%" in it: the client has to form-encode it in Basic, which curl -u does not do`,
      'secret',
      'make one by openssl rand -hex 32',
    );
  }
};

const clientSecrets = ({ secrets }: ExchangeClientBlockOptions, report: ExchangeReport): readonly ClientSecret[] => {
  if (secrets.length > maximumSecrets) report.error(`secret has more than ${maximumSecrets} entries`, 'secret');
  const seen = new Set<string>();
  const read = secrets.slice(0, maximumSecrets).flatMap((text, index) => {
    const place = secrets.length === 1 ? 'the secret' : `secret ${index + 1}`;
    const parsed = parseClientSecret(text);
    if (!parsed.ok) {
      report.error(`${place} ${parsed.error}`, 'secret');
      return [];
    }
    const form = clientSecretText(parsed.value);
    if (seen.has(form)) report.error(`${place} is an earlier one once more`, 'secret');
    seen.add(form);
    warnOfWeakness(parsed.value, place, report);
    return [parsed.value];
  });
  if (read.filter(({ kind }) => kind !== 'plain' && kind !== 'sha256').length > maximumHashedSecrets) {
    report.error(
      `secret has more than ${maximumHashedSecrets} password hashes`,
      'secret',
      'keep random secrets as sha256:',
    );
  }
  return read;
};

/** Checks one client, and fills in what it leaves to the block. */
const checkClient = (
  client: ExchangeClientBlockOptions,
  block: TokenExchangeBlockOptions,
  methods: ExchangeMethods,
  report: ExchangeReport,
): ExchangeClientOptions => {
  if (client.secrets.length + client.publicKeyFiles.length === 0) {
    report.error(
      'it has neither a secret nor a key, and could not authenticate itself',
      'secret',
      'give secret or public-key-file',
    );
  }
  checkExchangeList('public-key-file', client.publicKeyFiles, report, maximumKeyFiles);
  checkExchangeList('subject-audiences', client.subjectAudiences ?? [], report);
  checkExchangePermissions(client, methods, report);
  const allowedExchanges = client.allowedExchanges ?? block.allowedExchanges;
  // Where nobody may exchange anything that is said of the block.
  if (allowedExchanges.length === 0 && !allowsNothing(block)) {
    report.warning('it has no allowed-exchanges: there is nothing that it may exchange', 'allowed-exchanges');
  }
  return {
    id: client.id,
    secrets: clientSecrets(client, report),
    publicKeyFiles: client.publicKeyFiles,
    allowedExchanges,
    allowedAudiences: client.allowedAudiences ?? block.allowedAudiences ?? [],
    allowedScopes: client.allowedScopes ?? block.allowedScopes,
    subjectAudiences: client.subjectAudiences ?? [client.id],
  };
};

/**
 * Checks the `clients` block; null where there is none. `reportOf` gives the report of the whole block, or of one
 * client.
 */
export const exchangeClients = (
  block: TokenExchangeBlockOptions,
  methods: ExchangeMethods,
  reportOf: (client: ReportedClient | null) => ExchangeReport,
): readonly ExchangeClientOptions[] | null => {
  const { clients } = block;
  if (clients === null) return null;
  const whole = reportOf(null);
  if (clients.length === 0) whole.error('clients names no client: nobody could exchange a token', 'clients');
  if (clients.length > maximumClients) whole.error(`clients has more than ${maximumClients} clients`, 'clients');
  const ids = new Set<string>();
  return clients.slice(0, maximumClients).map((client, index) => {
    const report = reportOf({ client: index, label: `client "${client.id}"` });
    if (ids.has(client.id)) report.error('an earlier client has that id already', 'name');
    ids.add(client.id);
    return checkClient(client, block, methods, report);
  });
};
