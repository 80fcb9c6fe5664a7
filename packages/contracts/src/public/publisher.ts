/** Facts of every API description that do not depend on the API. */
export const publisher = {
  contact: { name: 'The platform team that runs this service' },
  // "Proprietary" in the words of SPDX: the repository grants no licence.
  license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
} as const;
