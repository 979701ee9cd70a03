/**
 * The ECO ids of each GO code that the Gene Ontology's mapping (gaf-eco-mapping) names: the default of the code, and those of its
 * electronic methods. More specific ids need the file with all of them; see parseEcoMapping.
 */
const idsOfCode: Readonly<Record<string, string>> = {
  ...{ EXP: '0000269', IDA: '0000314', IPI: '0000353', IMP: '0000315', IGI: '0000316', IEP: '0000270' },
  ...{ HTP: '0006056', HDA: '0007005', HMP: '0007001', HGI: '0007003', HEP: '0007007' },
  ...{ ISS: '0000250', ISO: '0000266', ISA: '0000247 0000031', ISM: '0000255', IGC: '0000317' },
  ...{ IBA: '0000318', IBD: '0000319', IKR: '0000320', IRD: '0000321', RCA: '0000245' },
  ...{ TAS: '0000304', NAS: '0000303', IC: '0000305', ND: '0000307' },
  IEA: '0000501 0007669 0000256 0000258 0000259 0000265 0000313 0000322 0000323 0000363 0000366 0007322 0007826',
};

/** The ECO id that is the default of each GO code. */
export const ecoIdOfCode: ReadonlyMap<string, string> = new Map(
  Object.entries(idsOfCode).map(([code, ids]) => [code, `ECO:${ids.split(' ', 1)[0]}`]),
);

export const codeOfEcoId: ReadonlyMap<string, string> = new Map(
  Object.entries(idsOfCode).flatMap(([code, ids]) =>
    ids.split(' ').map((id): [string, string] => [`ECO:${id}`, code]),
  ),
);
