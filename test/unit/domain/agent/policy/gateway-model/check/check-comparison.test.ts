import { describe, expect, it } from 'vitest';
import { whenFindings as when } from '../../../../../../support/agent/model-findings.js';

describe('a comparison of values that are never equal', () => {
  it.each([
    [
      'principal == "ann"',
      'principal == "ann"',
      '"==" never holds between an entity of type User or Anonymous and a value of type string',
      'did you mean User::"ann"?',
    ],
    [
      '"ann" != principal',
      '"ann" != principal',
      '"!=" always holds between a value of type string and an entity of type User or Anonymous',
      'did you mean User::"ann"?',
    ],
    [
      'action == "GET"',
      'action == "GET"',
      '"==" never holds between an entity of type Action and a value of type string',
      'did you mean Action::"GET"?',
    ],
    [
      'action == "read"',
      'action == "read"',
      '"==" never holds between an entity of type Action and a value of type string',
      'did you mean Action::"GET"?',
    ],
    [
      'resource == "/reports"',
      'resource == "/reports"',
      '"==" never holds between an entity of type Resource and a value of type string',
      'did you mean Resource::"/reports"?',
    ],
    [
      'resource == "/reports/*"',
      'resource == "/reports/*"',
      '"==" never holds between an entity of type Resource and a value of type string',
      'did you mean resource.path like "/reports/*"?',
    ],
    [
      'resource == context.method',
      'resource == context.method',
      '"==" never holds between an entity of type Resource and a value of type string',
      'did you mean resource.path?',
    ],
    [
      'context.client_ip == "10.0.0.1"',
      'context.client_ip == "10.0.0.1"',
      '"==" never holds between a value of type ipaddr and a value of type string',
      'did you mean ip("10.0.0.1")?',
    ],
    [
      'context.client_ip == "10.0.0.0/8"',
      'context.client_ip == "10.0.0.0/8"',
      '"==" never holds between a value of type ipaddr and a value of type string',
      'did you mean context.client_ip.isInRange(ip("10.0.0.0/8"))?',
    ],
    [
      'context.method == Action::"GET"',
      'context.method == Action::"GET"',
      '"==" never holds between a value of type string and an entity of type Action',
      'did you mean "GET"?',
    ],
    [
      'principal.id == User::"ann"',
      'principal.id == User::"ann"',
      '"==" never holds between a value of type string and an entity of type User',
      'did you mean "ann"?',
    ],
    [
      'principal.id == 3',
      'principal.id == 3',
      '"==" never holds between a value of type string and a value of type long',
      'did you mean "3"?',
    ],
    [
      'principal.roles == "admin"',
      'principal.roles == "admin"',
      '"==" never holds between a value of type set of strings and a value of type string',
      'did you mean principal.roles.contains("admin")?',
    ],
    [
      'principal.roles == Role::"admin"',
      'principal.roles == Role::"admin"',
      '"==" never holds between a value of type set of strings and an entity of type Role',
      'did you mean principal.roles.contains("admin")?',
    ],
    [
      'datetime("2026-01-01") == "2026-01-02"',
      'datetime("2026-01-01") == "2026-01-02"',
      '"==" never holds between a value of type datetime and a value of type string',
      'did you mean datetime("2026-01-02")?',
    ],
    [
      'context.claims == "x"',
      'context.claims == "x"',
      '"==" never holds between the claims and a value of type string',
      'values of different types are never equal: Cedar converts nothing',
    ],
    [
      'context.client_ip == "home"',
      'context.client_ip == "home"',
      '"==" never holds between a value of type ipaddr and a value of type string',
      'test for addresses with context.client_ip.isInRange(ip("10.0.0.0/8"))',
    ],
  ])('is reported: %s', (condition, at, message, suggestion) => {
    expect(when(condition)).toEqual([{ at, message, suggestion }]);
  });
});

describe('an element that a set never contains', () => {
  it.each([
    [
      '["GET"].contains(action)',
      'action',
      'a set of strings never contains a value of type entity',
      'did you mean Action::"GET"?',
    ],
    [
      '["GET", "HEAD"].contains(action)',
      'action',
      'a set of strings never contains a value of type entity',
      'did you mean context.method?',
    ],
    [
      'principal.roles.contains(Role::"admin")',
      'Role::"admin"',
      'a set of strings never contains a value of type entity',
      'did you mean "admin"?',
    ],
    ['[1, 2].contains("1")', '"1"', 'a set of longs never contains a value of type string', 'did you mean 1?'],
    [
      '[Action::"GET"].contains(principal)',
      'principal',
      'an entity of type User or Anonymous is never of type Action',
      'it is User or Anonymous',
    ],
    [
      'principal.roles.containsAny("admin")',
      '"admin"',
      '"containsAny" takes an argument of type set, not a value of type string',
      'did you mean ["admin"]?',
    ],
    [
      'principal.roles.containsAny([Role::"admin"])',
      '[Role::"admin"]',
      'a set of strings never contains the elements of a set of entities',
      'did you mean "admin"?',
    ],
    [
      'action in ["GET"]',
      '"GET"',
      'nothing is "in" a value of type string, only in entities',
      'did you mean Action::"GET"?',
    ],
    [
      'principal in ["admin"]',
      '"admin"',
      'nothing is "in" a value of type string, only in entities',
      'did you mean Role::"admin"?',
    ],
  ])('is reported: %s', (condition, at, message, suggestion) => {
    expect(when(condition)).toEqual([{ at, message, suggestion }]);
  });
});
