import type { ProblemReport } from '../../configuration/schema/problem-report.js';
import { webUrlFault } from '../../configuration/schema/web-url.js';
import { urlParts } from '../../http/absolute-uri.js';
import type { ReadGateway } from './read-gateway.js';
import type { TracingFields } from './tracing-schema.js';

const path = ['tracing'];
const risk = 'anyone on the path can read the traces and the headers for the collector';
const form = 'must be a URL that begins with http:// or https://';

const checkEndpoint = ({ endpoint }: TracingFields, report: ProblemReport): void => {
  if (!endpoint.sound) return;
  const { value: url, position } = endpoint;
  if (!/^https?:\/\/[\x21-\x7e]+$/i.test(url)) {
    report.add(`"endpoint" ${form}`, {
      position,
      path,
      suggestion: 'write endpoint "http://127.0.0.1:4318/v1/traces"',
      secret: url.includes('@'),
    });
    return;
  }
  const fault = webUrlFault(url, risk);
  if (fault !== null) {
    const { severity, message, secret, id } = fault;
    report.add(`"endpoint" ${message}`, { position, path, severity, secret, ...(id !== undefined && { id }) });
    if (severity === 'error') return;
  }
  if (urlParts(url).path !== '/') return;
  report.add('"endpoint" has no path: collectors accept spans at /v1/traces', {
    position,
    path,
    severity: 'warning',
    secret: /[?@]/.test(url),
    suggestion: endpoint.hidden === true ? null : `write endpoint "${urlParts(url).origin}/v1/traces"`,
  });
};

const checkHeaders = ({ 'collector-header': headers }: TracingFields, report: ProblemReport): void => {
  const seen = new Set<string>();
  for (const { value, position, hidden } of headers.value) {
    const name = value.name.toLowerCase();
    if (seen.has(name)) {
      const shown = hidden === true ? 'that was given' : value.name;
      report.add(`"collector-header": the header ${shown} occurs twice`, { position, path, secret: true });
    }
    seen.add(name);
  }
};

/** Checks the endpoint and the headers of `tracing`. */
export const checkTracing = ({ tracing: { value } }: ReadGateway, report: ProblemReport): void => {
  if (value === null) return;
  checkEndpoint(value, report);
  checkHeaders(value, report);
};
