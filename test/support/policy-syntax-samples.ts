/** Policies that together have every construct of the language: what near-miss syntax is made from. */
export const policySyntaxSamples: readonly string[] = [
  'permit(principal, action, resource);',
  '@id("a") @b @if("c") forbid(principal == User::"alice", action == Action::"GET", resource in Folder::"x",);',
  'permit(principal is Ns::User, action in [Action::"a", Ns::Action::"b",], resource is File in Folder::"f");',
  'permit(principal == ?principal, action in Action::"r", resource in ?resource) when { true };',
  'permit(principal is User in ?principal, action == (Action::"x"), resource == (?resource)) unless { false };',
  'permit(principal, action in ([(Action::"a")]), resource) when { 1 + 2 - 3 * 4 < -5 } unless { !!true };',
  'permit(principal, action, resource) when { principal has a.b.c && principal["x y"].z == context.q };',
  'permit(principal, action, resource) when { resource.path like "/a/*\\*b\\u{41}" || context has "odd name" };',
  'permit(principal, action, resource) when { if principal is User in Group::"g" then {a: 1, "b": [1, 2,]} == {} else false };',
  'permit(principal, action, resource) when { [1, "two", User::"3"].contains(context.x) };',
  'permit(principal, action, resource) when { ip("10.0.0.1").isInRange(ip("10.0.0.0/8")) && decimal("1.0").lessThan(decimal("2.0")) };',
  'permit(principal, action, resource) when { principal.getTag("t") == 1 && !principal.hasTag("u") && [].isEmpty() };',
  'permit(principal, action, resource) when { datetime("2024-01-01").offset(duration("1h")).toDate() >= context.now };',
  'permit(principal, action, resource) when { -9223372036854775808 <= 9223372036854775807 && --1 != - 2 };',
  'permit(principal, action, resource) when { (principal in [User::"a", resource]) == (action in Action::"g") };',
  'permit(principal, action, resource) when { "\\n\\x41\\0\\\'\\"\\u{1F600}" == "é" } when { "a".b["c"].d } unless { [[{}]] == {in_: {then_: 1}} };',
  'permit(principal, action, resource); // a comment\nforbid(principal, action, resource) unless { true };',
];

/** Tokens that are put where they may or may not belong. */
export const policySyntaxTokens: readonly string[] = [
  ...['(', ')', '[', ']', '{', '}', ',', ';', ':', '::', '.', '@', '==', '!=', '<', '<=', '>', '>=', '=', '&&', '||'],
  ...['+', '-', '*', '/', '%', '!', '&', '|', '?', "'a'", '"', '#', '\\', '`'],
  ...['true', 'false', 'if', 'then', 'else', 'in', 'is', 'like', 'has', '__cedar', '__cedars', 'permit', 'forbid'],
  ...['when', 'unless', 'principal', 'action', 'resource', 'context', 'User', 'Action', 'Set', 'and', 'or', 'not'],
  ...[
    '?principal',
    '?resource',
    '?action',
    '?x',
    '0',
    '1',
    '007',
    '9223372036854775808',
    '18446744073709551616',
    '1_0',
  ],
  ...['"a"', '""', '"*"', '"\\*"', '"\\u{41}"', '"\\u{d800}"', '"\\u{0000041}"', '"\\x7f"', '"\\x80"', '"\\q"', '"\n"'],
  ...['"\r"', '"\\\n"', 'User::"a"', 'Action::"a"', 'Ns::Action::"a"', 'A::B', 'decimal', 'ip', 'lessThan', 'isIpv4'],
  ...['contains', 'containsAll', 'isEmpty', 'getTag', 'startsWith', 'decimal("1.0")', '.contains(1)', '.isEmpty()'],
  ...['// c\n', '/* c */', '\u00a0', '\u0085', '\u200b', '\ufeff', '\u2028', 'é', '\u{1F600}', '\0', '\t', '\v'],
];
