import { expect } from 'chai';

it('runs', () => {
  expect(true).to.equal(true);
});
