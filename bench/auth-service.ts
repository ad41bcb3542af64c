// What people put behind nginx's auth_request: a small HTTP service that checks a bearer token. Arguments: a port,
// the secret.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const [port = '0', secret = ''] = process.argv.slice(2);

interface Claims {
  readonly sub?: unknown;
  readonly exp?: unknown;
}

/** The subject of a good token; null: it is none. HS256 alone. */
const subjectOf = (authorization: string): string | null => {
  const token = authorization.startsWith('Bearer ') ? authorization.slice(7) : '';
  const [head = '', payload = '', signature = ''] = token.split('.');
  const expected = createHmac('sha256', secret).update(`${head}.${payload}`).digest();
  const given = Buffer.from(signature, 'base64url');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims;
  const isCurrent = typeof claims.exp === 'number' && claims.exp * 1000 > Date.now();
  return isCurrent && typeof claims.sub === 'string' ? claims.sub : null;
};

/** Good tokens that came before: a service that is built for speed has such a memory. */
const known = new Map<string, string>();

const server = createServer((request, response) => {
  const authorization = request.headers.authorization ?? '';
  const subject = known.get(authorization) ?? subjectOf(authorization);
  if (subject !== null) known.set(authorization, subject);
  response.writeHead(
    subject === null ? 401 : 200,
    subject === null ? {} : { 'X-User-Id': subject, 'Content-Length': '0' },
  );
  response.end();
});
server.keepAliveTimeout = 3_600_000;
server.listen(Number(port), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
