// Annotates proteomes: nextflow run workflows/nextflow --proteins 'proteomes/*.faa' --outdir results
include { KINDRED_ANNOTATE } from './modules/kindred/annotate/main'

workflow {
    if (!params.proteins) {
        error "Name the proteins: --proteins 'proteomes/*.faa'"
    }
    proteomes = Channel
        .fromPath(params.proteins, checkIfExists: true)
        .map { file -> [ [ id: file.simpleName ], file, [] ] }
    KINDRED_ANNOTATE(proteomes)
}
