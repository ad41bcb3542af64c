import type { ExplainedMiss, Explanation } from '../../../application/whole/explain-request/explanation.js';
import type { JsonObject } from '../../../domain/shared/json.js';

const wantedText = (wanted: readonly string[]): string => wanted.map((value) => `"${value}"`).join(' or ');

const missText = ({ route, failed }: ExplainedMiss): string => {
  const reasons = failed.map(({ match, wanted, actual }) =>
    actual.startsWith('no ')
      ? `${match} ${wantedText(wanted)}: ${actual}`
      : `${match} ${wantedText(wanted)}, not "${actual}"`,
  );
  return `  "${route}": ${reasons.join('; ')}\n`;
};

const titles: Readonly<Record<string, string>> = {
  split: 'split',
  'removed-headers': 'headers',
  'rate-limit': 'rate limit',
  limits: 'limits',
  agent: 'agent',
  'request-headers': 'request headers',
  'response-headers': 'response headers',
  cors: 'CORS',
};

const indent = 24;

/** An explanation for people. */
export const routeExplanationText = ({ request, passed, route, steps, refusal }: Explanation): string => {
  const { method, scheme, host, path, client, listener } = request;
  let text = `${method} ${scheme}://${host ?? ''}${path}\nfrom ${client}, at listener "${listener}"\n\n`;
  text += route === null ? 'No route takes the request.\n' : `Route "${route.id}" (priority ${route.priority})\n`;
  if (passed.length > 0) text += `\nTried before it, in this order:\n${passed.map(missText).join('')}`;
  if (steps.length > 0) text += '\nThen, step by step:\n';
  for (const [index, { step, lines }] of steps.entries()) {
    const title = `  ${index + 1}. ${titles[step] ?? step}`.padEnd(indent);
    text += `${title} ${lines.join(`\n${' '.repeat(indent + 1)}`)}\n`;
  }
  if (refusal !== null) {
    text += `\nThe gateway answers ${refusal.status} (${refusal.code}): ${refusal.detail}\n`;
    if (refusal.remedy !== null) text += `${refusal.remedy}\n`;
  }
  return text;
};

/** An explanation for programs. */
export const routeExplanationJson = ({ request, passed, route, steps, refusal }: Explanation): JsonObject => ({
  request: { ...request },
  route: route === null ? null : { ...route },
  passed: passed.map(({ route: id, failed }) => ({
    route: id,
    failed: failed.map(({ match, wanted, actual }) => ({ match, wanted: [...wanted], actual })),
  })),
  steps: steps.map(({ step, data }) => ({ step, ...data })),
  refusal: refusal === null ? null : { ...refusal },
});
