import { describe, expect, it } from '@jest/globals';
import { FINEST_DECIMALS } from '@offer-ads/contracts/audience/coarse-position';
import { memberGenders } from '@offer-ads/contracts/values/primitives';
import { fc } from '@offer-ads/testing/profile';
import mongoose from 'mongoose';
import { documentOf, tombstoneOf } from '../members/member-document.ts';
import { readRawMember } from './read-raw-member.ts';

const { serialize } = mongoose.mongo.BSON;
const bytesOf = (document: object) => Buffer.from(serialize(document));

const facts = fc.record({
  memberId: fc.maxSafeNat().map((id) => id + 1),
  // Whole degrees are stored as integers.
  latitude: fc.oneof(fc.integer({ min: -90, max: 90 }), fc.double({ min: -90, max: 90, noNaN: true })),
  longitude: fc.oneof(fc.integer({ min: -180, max: 180 }), fc.double({ min: -180, max: 180, noNaN: true })),
  gender: fc.constantFrom(...memberGenders),
  interests: fc.uniqueArray(fc.integer({ min: 1, max: 2 ** 40 }), { maxLength: 200 }),
  active: fc.boolean(),
  banned: fc.boolean(),
});

describe('a member read from raw bytes', () => {
  it('is what was written, whoever it is', () => {
    fc.assert(
      fc.property(facts, fc.maxSafeNat(), (member, version) => {
        const { active, banned, ...read } = documentOf(member, version, FINEST_DECIMALS);
        expect(readRawMember(bytesOf({ ...read, active, banned }))).toEqual(read);
      }),
    );
  });

  it('is read in the middle of a buffer of many, too', () => {
    const documents = [1, 2, 3].map((memberId) =>
      documentOf(
        {
          memberId,
          latitude: 1.5,
          longitude: -2,
          gender: 'Male',
          interests: [7],
          active: true,
          banned: false,
        },
        1,
        FINEST_DECIMALS,
      ),
    );
    const all = Buffer.concat(documents.map(bytesOf));
    const length = bytesOf(documents[0]!).length;
    for (const [place, { _id }] of documents.entries())
      expect(readRawMember(all.subarray(place * length, (place + 1) * length))).toMatchObject({ _id });
  });

  const whole = documentOf(
    {
      memberId: 1,
      latitude: 51.5,
      longitude: -0.12,
      gender: 'Female',
      interests: [1, 2],
      active: true,
      banned: false,
    },
    3,
    FINEST_DECIMALS,
  );
  const { _id, version, ...others } = whole;
  it.each([
    ['a tombstone', tombstoneOf(1, 2, new Date(0))],
    ['fields in another order', { version, _id, ...others }],
    ['a field between', { _id, version, more: 1, ...others }],
    ['an id that is no number', { ...whole, _id: 'x' }],
    ['a gender that nobody knows', { ...whole, gender: 'Mail' }],
    ['a position without an end', { ...whole, position: { type: 'Point', coordinates: [1] } }],
    ['a position in space', { ...whole, position: { type: 'Point', coordinates: [1, 2, 3] } }],
    ['a place that is no point', { ...whole, position: { type: 'Line', coordinates: [1, 2] } }],
    ['interests by name', { ...whole, interests: ['tea'] }],
    ['no interests', { ...whole, interests: undefined }],
    ['a 64-bit integer', { ...whole, version: mongoose.mongo.BSON.Long.fromNumber(7) }],
    ['nothing', {}],
  ])('is left to the driver when it has %s', (_, document) => {
    expect(readRawMember(bytesOf(document))).toBeUndefined();
  });
});
