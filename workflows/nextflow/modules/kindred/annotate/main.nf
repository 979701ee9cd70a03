process KINDRED_ANNOTATE {
    tag "$meta.id"
    label 'process_medium'

    conda "${moduleDir}/environment.yml"

    input:
    tuple val(meta), path(proteins), path(gff)

    output:
    tuple val(meta), path("${prefix}")                        , emit: results
    tuple val(meta), path("${prefix}/terms.tsv")              , emit: terms
    tuple val(meta), path("${prefix}/terms.gaf")              , emit: gaf
    tuple val(meta), path("${prefix}/annotated.gff3")         , emit: gff
    tuple val(meta), path("${prefix}/left_out.tsv")           , emit: left_out
    tuple val(meta), path("${prefix}/report.html")            , emit: report
    tuple val(meta), path("${prefix}/ro-crate-metadata.json") , emit: manifest
    path "versions.yml"                                       , emit: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args   = task.ext.args ?: ''
    prefix     = task.ext.prefix ?: "${meta.id}"
    def genome = gff ? "--gff ${gff}" : ''
    """
    kindred annotate \\
        --quiet \\
        --out-dir ${prefix} \\
        ${genome} \\
        ${args} \\
        ${proteins}

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        kindred: \$(kindred --version)
    END_VERSIONS
    """

    stub:
    prefix = task.ext.prefix ?: "${meta.id}"
    """
    mkdir ${prefix}
    touch ${prefix}/terms.tsv ${prefix}/terms.gaf ${prefix}/annotated.gff3 ${prefix}/left_out.tsv ${prefix}/report.html ${prefix}/ro-crate-metadata.json

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        kindred: \$(kindred --version)
    END_VERSIONS
    """
}
