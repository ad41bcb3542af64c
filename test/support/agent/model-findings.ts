import { checkAgainstModel } from '../../../src/domain/agent/policy/gateway-model/check-against-model.js';
import { parsePolicies } from '../../../src/domain/agent/policy/parse/parse-policies.js';

/** What the check against the gateway's model finds in policies, and the text where it is. */
export const modelFindings = (text: string) => {
  const parsed = parsePolicies(text, 'extended');
  if (!parsed.ok) throw new Error(parsed.error.map(({ message }) => message).join('; '));
  return checkAgainstModel(parsed.value).map(({ span, message, suggestion }) => ({
    at: text.slice(span.start, span.end),
    message,
    suggestion,
  }));
};

/** The same for the condition of a permit. */
export const whenFindings = (condition: string) =>
  modelFindings(`permit(principal, action, resource) when { ${condition} };`);
