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

/** Minimum octets of a plain secret without a warning. */
const shortestClientSecret = 16;

/**
 * Parses the secret of a client: `sha256:<digest>`, a password hash, or the secret itself. The error continues a
 * sentence that begins with the secret, and contains nothing of it.
 */
const parseClientSecret = (secret: Secret): Result<ClientSecret, string> => {
  const text = secret.reveal();
  // It may be a slip or the end of the secret, so removing it would be a guess.
  if (text !== text.trim()) return err('begins or ends with white space: remove it');
  if (text.toLowerCase().startsWith(digestPrefix)) {
    const digest = text.slice(digestPrefix.length);
    // As `hash-key --name` prints it for an API key.
    if (namedDigest.test(digest)) {
      return err('has a name after its digest, like an API key; remove :<name>');
    }
    if (!hexadecimalDigest.test(digest)) return err('does not have 64 hexadecimal digits after sha256:');
    return ok({ kind: 'sha256', digest: new Secret(digest.toLowerCase()) });
  }
  if (looksHashed(text)) return readPasswordHash(text);
  if (!printable.test(text)) return err('has characters other than printable ASCII');
  return ok({ kind: 'plain', text: secret });
};

/** Equal texts for equal secrets of the same form. As confidential as the secret. */
const clientSecretText = (secret: ClientSecret): string =>
  `${secret.kind} ${(secret.kind === 'sha256' ? secret.digest : secret.text).reveal()}`;

const maximumClients = 1000;
/** Maximum secrets per client. */
const maximumSecrets = 8;
/** Maximum hashed secrets: a wrong secret of any client costs as many checks as the largest client has. */
const maximumHashedSecrets = 3;
/** A wrong signature costs as many verifications, on the thread that decides requests. */
const maximumKeyFiles = 4;
/** Form encoding in Basic turns them into a space and an escape (RFC 6749, section 2.3.1). */
const readOtherwise = /[+%]/;

const warnOfWeakness = (secret: ClientSecret, place: string, report: ExchangeReport): void => {
  if (secret.kind === 'sha256') return;
  if (secret.kind !== 'plain') {
    const found = weakness(secret);
    if (found !== null) report.warning(`${place} is stored as ${found}`, 'secret');
    return;
  }
  const text = secret.text.reveal();
  if (utf8Length(text) < shortestClientSecret) {
    report.warning(`${place} has fewer than ${shortestClientSecret} bytes: it can be guessed`, 'secret');
  }
  if (readOtherwise.test(text)) {
    report.warning(
      `${place} contains "+" or "%": the client must form-encode it in Basic, which curl -u does not do`,
      'secret',
      'make a secret with openssl rand -hex 32',
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
    if (seen.has(form)) report.error(`${place} repeats an earlier one`, 'secret');
    seen.add(form);
    warnOfWeakness(parsed.value, place, report);
    return [parsed.value];
  });
  if (read.filter(({ kind }) => kind !== 'plain' && kind !== 'sha256').length > maximumHashedSecrets) {
    report.error(
      `secret has more than ${maximumHashedSecrets} password hashes`,
      'secret',
      'store random secrets as sha256:',
    );
  }
  return read;
};

/** Checks one client, and fills in defaults of the block. */
const checkClient = (
  client: ExchangeClientBlockOptions,
  block: TokenExchangeBlockOptions,
  methods: ExchangeMethods,
  report: ExchangeReport,
): ExchangeClientOptions => {
  if (client.secrets.length + client.publicKeyFiles.length === 0) {
    report.error(
      'it has neither a secret nor a key, so it cannot authenticate',
      'secret',
      'set secret or public-key-file',
    );
  }
  checkExchangeList('public-key-file', client.publicKeyFiles, report, maximumKeyFiles);
  checkExchangeList('subject-audiences', client.subjectAudiences ?? [], report);
  checkExchangePermissions(client, methods, report);
  const allowedExchanges = client.allowedExchanges ?? block.allowedExchanges;
  // If no exchange is allowed at all, the block has its own warning.
  if (allowedExchanges.length === 0 && !allowsNothing(block)) {
    report.warning('it has no allowed-exchanges, so it cannot exchange any token', 'allowed-exchanges');
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

/** Checks the `clients` block; null if there is none. `reportOf` returns the report of the block or of a client. */
export const exchangeClients = (
  block: TokenExchangeBlockOptions,
  methods: ExchangeMethods,
  reportOf: (client: ReportedClient | null) => ExchangeReport,
): readonly ExchangeClientOptions[] | null => {
  const { clients } = block;
  if (clients === null) return null;
  const whole = reportOf(null);
  if (clients.length === 0) whole.error('clients names no client, so no token could be exchanged', 'clients');
  if (clients.length > maximumClients) whole.error(`clients has more than ${maximumClients} clients`, 'clients');
  const ids = new Set<string>();
  return clients.slice(0, maximumClients).map((client, index) => {
    const report = reportOf({ client: index, label: `client "${client.id}"` });
    if (ids.has(client.id)) report.error('an earlier client already has that id', 'name');
    ids.add(client.id);
    return checkClient(client, block, methods, report);
  });
};
