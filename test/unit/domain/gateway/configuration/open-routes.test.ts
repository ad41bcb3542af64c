import { describe, expect, it } from 'vitest';
import { configurationText } from '../../../../support/shared/configuration-text.js';
import { problemsOf } from '../../../../support/shared/decoded-configuration.js';

const upstreams =
  'upstreams { upstream "echo" { target "127.0.0.1:8081" }; upstream "files" { target "127.0.0.1:8082" } }';
const twoAgents = `agents {
  agent "auth" { transport "embedded"; config { api-keys "key:alice" } }
  agent "filter" { socket "/run/filter.sock" }
}`;

const route = (name: string, body: string): string => `route "${name}" { matches { path-prefix "/${name}" }; ${body} }`;

const warned = (routes: readonly string[], agents?: string): readonly string[] =>
  problemsOf(
    configurationText({
      routes: `routes { ${routes.join('\n')} }`,
      upstreams,
      ...(agents !== undefined && { agents }),
    }),
  );

describe('a route without agents', () => {
  it('causes a warning if no route lists the agent', () => {
    expect(warned([route('api', 'upstream "echo"')])).toEqual([
      'warning: route "api" has no agents: everyone may use it, and no route lists the agent "auth" (write agents "auth", or agents #null if the route is open on purpose)',
    ]);
  });

  it('causes a warning if it shares an upstream with a protected one', () => {
    expect(
      warned([
        route('api', 'upstream "echo"; agents "auth"'),
        route('images', 'upstream "echo"'),
        route('site', 'upstream "files"'),
      ]),
    ).toEqual([
      'warning: route "images" has no agents: it opens the upstream that route "api" protects by agent "auth" (write agents "auth", or agents #null if the route is open on purpose)',
    ]);
  });

  it('causes a warning if one of two agents is on no route', () => {
    const problems = warned(
      [route('api', 'upstream "echo"; agents "auth"'), route('b', 'upstream "files"')],
      twoAgents,
    );
    expect(problems).toEqual([expect.stringContaining('no route lists the agent "filter"')]);
  });

  it('names all agents of the other route in order', () => {
    const problems = warned(
      [route('b', 'upstream "echo"'), route('api', 'upstream "echo"; agents "filter" "auth"')],
      twoAgents,
    );
    expect(problems).toEqual([expect.stringContaining('(write agents "filter" "auth", or agents #null')]);
  });

  it.each(['agents #null', 'agents "auth"'])('causes no warning with %s', (agents) => {
    expect(warned([route('api', `upstream "echo"; ${agents}`)])).toEqual([]);
  });

  it('causes no warning if all agents are on routes to other upstreams', () => {
    expect(warned([route('api', 'upstream "echo"; agents "auth"'), route('site', 'upstream "files"')])).toEqual([]);
  });

  it('causes no warning without agents', () => {
    expect(warned([route('api', 'upstream "echo"')], '')).toEqual([]);
  });

  it('causes no warning on a builtin route', () => {
    expect(warned([route('health', 'service-type "builtin"; builtin-handler "health"')])).toEqual([]);
  });
});
