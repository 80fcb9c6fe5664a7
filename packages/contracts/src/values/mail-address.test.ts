import { describe, expect, it } from '@jest/globals';
import { enteredMailAddress } from './mail-address.ts';

describe('a mail address that somebody enters', () => {
  it.each([
    ['user@shop.example', 'user@shop.example'],
    [' User.Name+tag@Shop.Example ', 'User.Name+tag@Shop.Example'],
    ['user!x@shop.example', 'user!x@shop.example'],
    ["o'neil/x={y}|~z@shop.example", "o'neil/x={y}|~z@shop.example"],
    ['user@shop.рф', 'user@shop.xn--p1ai'],
    ['user@bücher.example', 'user@xn--bcher-kva.example'],
    ['user@BÜCHER.example', 'user@xn--bcher-kva.example'],
    ['user@xn--bcher-kva.example', 'user@xn--bcher-kva.example'],
  ])('%j is %s', (entered, address) => {
    expect(enteredMailAddress.parse(entered)).toBe(address);
  });

  it.each([
    '',
    'user',
    'user@',
    '@shop.example',
    'user@shop',
    'user@@shop.example',
    'user name@shop.example',
    'user,other@shop.example',
    '<user@shop.example>',
    '"user"@shop.example',
    'user\n@shop.example',
    '.user@shop.example',
    'user.@shop.example',
    'user@-shop.example',
    'user@shop.1',
    'us..er@shop.example',
    'müller@shop.example',
    'user@１.１.１.１',
    'user@bücher.example/x',
    'user@bü cher.example',
    `${'a'.repeat(250)}@b.example`,
  ])('%j is none', (entered) => {
    expect(enteredMailAddress.safeParse(entered).success).toBe(false);
  });
});
