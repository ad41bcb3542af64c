import { decodedForms, decodesToUnsafeSegments, hasEncodedSeparator } from '../../../../domain/http/decoded-path.js';
import { normalisePath } from '../../../../domain/http/path-normalisation.js';
import type { MatchedRoute } from '../exchange.js';

/** Finds the route of a request, but with another path. */
type RouteOfPath<Route> = (path: string) => Route | undefined;

const escaped = (character: string): string =>
  `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;

/** A decoded path as routes see paths; null: it has no such form. */
const routablePath = (decoded: string): string | null => {
  const path = normalisePath(
    decoded
      .replaceAll('\\', '/')
      .replaceAll(/%(?![0-9A-Fa-f]{2})/g, '%25')
      .replaceAll(/[^!-~]|[#?]/g, escaped),
    'keep',
  );
  return path.ok ? path.value : null;
};

/** Whether all agents of a route also check the requests of another. */
const isGuardedBy = (route: MatchedRoute, other: MatchedRoute): boolean =>
  other.configuration.agents.every((agent) => route.configuration.agents.includes(agent));

/**
 * Why a path with escapes must not be forwarded; null: it may be. Without `allow-encoded-slash` a route gets no encoded
 * separators. With it, the path must stay the same path for an upstream that decodes it, once or twice: no dot segment,
 * no empty segment, and no route whose agents would be bypassed.
 *
 * @param route the route of the path; undefined: none
 */
export const encodedPathFault = <Route extends MatchedRoute>(
  path: string,
  route: Route | undefined,
  find: RouteOfPath<Route>,
): string | null => {
  if (route?.configuration.policies.path.allowEncodedSlash !== true) {
    return hasEncodedSeparator(path) ? 'The path contains %2f, %5c, %00 or a backslash.' : null;
  }
  if (decodesToUnsafeSegments(path, { emptySegments: true })) {
    return 'The path has a dot segment or an empty segment once it is decoded.';
  }
  for (const form of decodedForms(path)) {
    const decoded = routablePath(form);
    const other = decoded === null ? undefined : find(decoded);
    if (other !== undefined && !isGuardedBy(route, other)) {
      return 'Once it is decoded, the path belongs to a route with other agents.';
    }
  }
  return null;
};
