{#- The macro of a metric or of a frame, by its name. Written by `python -m sqlmetrics.generation` from the metric files under sql/macros: change those. -#}

{%- macro metric_value(m, column) -%}
{%- if m.name == 'accuracy' -%}
{{ sqlmetrics.accuracy__value(m) }}
{%- elif m.name == 'anlp' -%}
{{ sqlmetrics.anlp__value(m) }}
{%- elif m.name == 'auc' -%}
{{ sqlmetrics.auc__value(m, column) }}
{%- elif m.name == 'auc_mu' -%}
{{ sqlmetrics.auc_mu__value(m) }}
{%- elif m.name == 'average_precision' -%}
{{ sqlmetrics.average_precision__value(m) }}
{%- elif m.name == 'balanced_accuracy' -%}
{{ sqlmetrics.balanced_accuracy__value(m) }}
{%- elif m.name == 'brier' -%}
{{ sqlmetrics.brier__value(m) }}
{%- elif m.name == 'cal_n' -%}
{{ sqlmetrics.cal_n__value(m) }}
{%- elif m.name == 'calibration_intercept' -%}
{{ sqlmetrics.calibration_intercept__value(m) }}
{%- elif m.name == 'calibration_slope' -%}
{{ sqlmetrics.calibration_slope__value(m) }}
{%- elif m.name == 'clipped_ips' -%}
{{ sqlmetrics.clipped_ips__value(m) }}
{%- elif m.name == 'cohens_kappa' -%}
{{ sqlmetrics.cohens_kappa__value(m) }}
{%- elif m.name == 'concordance_correlation' -%}
{{ sqlmetrics.concordance_correlation__value(m) }}
{%- elif m.name == 'concordance_index' -%}
{{ sqlmetrics.concordance_index__value(m) }}
{%- elif m.name == 'confusion_matrix' -%}
{{ sqlmetrics.confusion_matrix__value(m, column) }}
{%- elif m.name == 'copc' -%}
{{ sqlmetrics.copc__value(m) }}
{%- elif m.name == 'crps' -%}
{{ sqlmetrics.crps__value(m) }}
{%- elif m.name == 'd2_absolute_error' -%}
{{ sqlmetrics.d2_absolute_error__value(m) }}
{%- elif m.name == 'd2_pinball' -%}
{{ sqlmetrics.d2_pinball__value(m) }}
{%- elif m.name == 'd2_tweedie' -%}
{{ sqlmetrics.d2_tweedie__value(m) }}
{%- elif m.name == 'debiased_ece' -%}
{{ sqlmetrics.debiased_ece__value(m) }}
{%- elif m.name == 'direct_method' -%}
{{ sqlmetrics.direct_method__value(m) }}
{%- elif m.name == 'discrimination' -%}
{{ sqlmetrics.discrimination__value(m) }}
{%- elif m.name == 'doubly_robust' -%}
{{ sqlmetrics.doubly_robust__value(m) }}
{%- elif m.name == 'dros' -%}
{{ sqlmetrics.dros__value(m) }}
{%- elif m.name == 'e50' -%}
{{ sqlmetrics.e50__value(m) }}
{%- elif m.name == 'e90' -%}
{{ sqlmetrics.e90__value(m) }}
{%- elif m.name == 'ece' -%}
{{ sqlmetrics.ece__value(m) }}
{%- elif m.name == 'emax' -%}
{{ sqlmetrics.emax__value(m) }}
{%- elif m.name == 'error_rate' -%}
{{ sqlmetrics.error_rate__value(m) }}
{%- elif m.name == 'explained_variance' -%}
{{ sqlmetrics.explained_variance__value(m) }}
{%- elif m.name == 'f1' -%}
{{ sqlmetrics.f1__value(m) }}
{%- elif m.name == 'f1_at_k' -%}
{{ sqlmetrics.f1_at_k__value(m) }}
{%- elif m.name == 'fbeta' -%}
{{ sqlmetrics.fbeta__value(m) }}
{%- elif m.name == 'field_ece' -%}
{{ sqlmetrics.field_ece__value(m) }}
{%- elif m.name == 'field_rce' -%}
{{ sqlmetrics.field_rce__value(m) }}
{%- elif m.name == 'fleiss_kappa' -%}
{{ sqlmetrics.fleiss_kappa__value(m) }}
{%- elif m.name == 'fpr' -%}
{{ sqlmetrics.fpr__value(m) }}
{%- elif m.name == 'fpr_at_tpr' -%}
{{ sqlmetrics.fpr_at_tpr__value(m) }}
{%- elif m.name == 'g_mean' -%}
{{ sqlmetrics.g_mean__value(m) }}
{%- elif m.name == 'gamma_deviance' -%}
{{ sqlmetrics.gamma_deviance__value(m) }}
{%- elif m.name == 'gauc' -%}
{{ sqlmetrics.gauc__value(m) }}
{%- elif m.name == 'gc_n' -%}
{{ sqlmetrics.gc_n__value(m) }}
{%- elif m.name == 'gini' -%}
{{ sqlmetrics.gini__value(m) }}
{%- elif m.name == 'gm_map' -%}
{{ sqlmetrics.gm_map__value(m) }}
{%- elif m.name == 'iips' -%}
{{ sqlmetrics.iips__value(m) }}
{%- elif m.name == 'integrated_calibration_index' -%}
{{ sqlmetrics.integrated_calibration_index__value(m) }}
{%- elif m.name == 'interval_coverage' -%}
{{ sqlmetrics.interval_coverage__value(m) }}
{%- elif m.name == 'interval_score' -%}
{{ sqlmetrics.interval_score__value(m) }}
{%- elif m.name == 'ips' -%}
{{ sqlmetrics.ips__value(m) }}
{%- elif m.name == 'krippendorff_alpha' -%}
{{ sqlmetrics.krippendorff_alpha__value(m) }}
{%- elif m.name == 'ks' -%}
{{ sqlmetrics.ks__value(m) }}
{%- elif m.name == 'log_cosh_error' -%}
{{ sqlmetrics.log_cosh_error__value(m) }}
{%- elif m.name == 'log_loss' -%}
{{ sqlmetrics.log_loss__value(m) }}
{%- elif m.name == 'macro_f1' -%}
{{ sqlmetrics.macro_f1__value(m) }}
{%- elif m.name == 'macro_precision' -%}
{{ sqlmetrics.macro_precision__value(m) }}
{%- elif m.name == 'macro_recall' -%}
{{ sqlmetrics.macro_recall__value(m) }}
{%- elif m.name == 'mae' -%}
{{ sqlmetrics.mae__value(m) }}
{%- elif m.name == 'mape' -%}
{{ sqlmetrics.mape__value(m) }}
{%- elif m.name == 'max_error' -%}
{{ sqlmetrics.max_error__value(m) }}
{%- elif m.name == 'mcc' -%}
{{ sqlmetrics.mcc__value(m) }}
{%- elif m.name == 'mean_error' -%}
{{ sqlmetrics.mean_error__value(m) }}
{%- elif m.name == 'medae' -%}
{{ sqlmetrics.medae__value(m) }}
{%- elif m.name == 'micro_f1' -%}
{{ sqlmetrics.micro_f1__value(m) }}
{%- elif m.name == 'micro_precision' -%}
{{ sqlmetrics.micro_precision__value(m) }}
{%- elif m.name == 'micro_recall' -%}
{{ sqlmetrics.micro_recall__value(m) }}
{%- elif m.name == 'miscalibration' -%}
{{ sqlmetrics.miscalibration__value(m) }}
{%- elif m.name == 'mse' -%}
{{ sqlmetrics.mse__value(m) }}
{%- elif m.name == 'multi_auc' -%}
{{ sqlmetrics.multi_auc__value(m) }}
{%- elif m.name == 'multi_balanced_accuracy' -%}
{{ sqlmetrics.multi_balanced_accuracy__value(m) }}
{%- elif m.name == 'multi_log_loss' -%}
{{ sqlmetrics.multi_log_loss__value(m) }}
{%- elif m.name == 'multi_mcc' -%}
{{ sqlmetrics.multi_mcc__value(m) }}
{%- elif m.name == 'normalized_entropy' -%}
{{ sqlmetrics.normalized_entropy__value(m) }}
{%- elif m.name == 'normalized_gini' -%}
{{ sqlmetrics.normalized_gini__value(m) }}
{%- elif m.name == 'pairwise_accuracy' -%}
{{ sqlmetrics.pairwise_accuracy__value(m) }}
{%- elif m.name == 'partial_auc' -%}
{{ sqlmetrics.partial_auc__value(m) }}
{%- elif m.name == 'pcoc' -%}
{{ sqlmetrics.pcoc__value(m) }}
{%- elif m.name == 'pearson_correlation' -%}
{{ sqlmetrics.pearson_correlation__value(m) }}
{%- elif m.name == 'pinball' -%}
{{ sqlmetrics.pinball__value(m) }}
{%- elif m.name == 'pnr' -%}
{{ sqlmetrics.pnr__value(m) }}
{%- elif m.name == 'poisson_deviance' -%}
{{ sqlmetrics.poisson_deviance__value(m) }}
{%- elif m.name == 'popularity_lift' -%}
{{ sqlmetrics.popularity_lift__value(m) }}
{%- elif m.name == 'pr_auc' -%}
{{ sqlmetrics.pr_auc__value(m) }}
{%- elif m.name == 'precision' -%}
{{ sqlmetrics.precision__value(m) }}
{%- elif m.name == 'precision_at_k' -%}
{{ sqlmetrics.precision_at_k__value(m) }}
{%- elif m.name == 'precision_at_recall' -%}
{{ sqlmetrics.precision_at_recall__value(m) }}
{%- elif m.name == 'qini' -%}
{{ sqlmetrics.qini__value(m) }}
{%- elif m.name == 'quantile_coverage' -%}
{{ sqlmetrics.quantile_coverage__value(m) }}
{%- elif m.name == 'r2' -%}
{{ sqlmetrics.r2__value(m) }}
{%- elif m.name == 'recall' -%}
{{ sqlmetrics.recall__value(m) }}
{%- elif m.name == 'recall_at_k' -%}
{{ sqlmetrics.recall_at_k__value(m) }}
{%- elif m.name == 'recall_at_precision' -%}
{{ sqlmetrics.recall_at_precision__value(m) }}
{%- elif m.name == 'relative_information_gain' -%}
{{ sqlmetrics.relative_information_gain__value(m) }}
{%- elif m.name == 'rips' -%}
{{ sqlmetrics.rips__value(m) }}
{%- elif m.name == 'rmse' -%}
{{ sqlmetrics.rmse__value(m) }}
{%- elif m.name == 'rmsle' -%}
{{ sqlmetrics.rmsle__value(m) }}
{%- elif m.name == 'selection_rate' -%}
{{ sqlmetrics.selection_rate__value(m) }}
{%- elif m.name == 'sips' -%}
{{ sqlmetrics.sips__value(m) }}
{%- elif m.name == 'smape' -%}
{{ sqlmetrics.smape__value(m) }}
{%- elif m.name == 'sndr' -%}
{{ sqlmetrics.sndr__value(m) }}
{%- elif m.name == 'snips' -%}
{{ sqlmetrics.snips__value(m) }}
{%- elif m.name == 'spearman_correlation' -%}
{{ sqlmetrics.spearman_correlation__value(m) }}
{%- elif m.name == 'specificity' -%}
{{ sqlmetrics.specificity__value(m) }}
{%- elif m.name == 'switch_dr' -%}
{{ sqlmetrics.switch_dr__value(m) }}
{%- elif m.name == 'top_k_accuracy' -%}
{{ sqlmetrics.top_k_accuracy__value(m) }}
{%- elif m.name == 'tpr_at_fpr' -%}
{{ sqlmetrics.tpr_at_fpr__value(m) }}
{%- elif m.name == 'tweedie_deviance' -%}
{{ sqlmetrics.tweedie_deviance__value(m) }}
{%- elif m.name == 'uncertainty' -%}
{{ sqlmetrics.uncertainty__value(m) }}
{%- elif m.name == 'uplift_at_k' -%}
{{ sqlmetrics.uplift_at_k__value(m) }}
{%- elif m.name == 'uplift_auc' -%}
{{ sqlmetrics.uplift_auc__value(m) }}
{%- elif m.name == 'weighted_f1' -%}
{{ sqlmetrics.weighted_f1__value(m) }}
{%- elif m.name == 'weighted_kappa' -%}
{{ sqlmetrics.weighted_kappa__value(m) }}
{%- elif m.name == 'weighted_precision' -%}
{{ sqlmetrics.weighted_precision__value(m) }}
{%- elif m.name == 'weighted_recall' -%}
{{ sqlmetrics.weighted_recall__value(m) }}
{%- elif m.name == 'wmape' -%}
{{ sqlmetrics.wmape__value(m) }}
{%- elif m.name == 'youden_j' -%}
{{ sqlmetrics.youden_j__value(m) }}
{%- else -%}
{{ sqlmetrics.mean_over_groups(m) }}
{%- endif -%}
{%- endmacro -%}

{%- macro metric_influence(m) -%}
{%- if m.name == 'auc' -%}
{{ sqlmetrics.auc__influence(m) }}
{%- elif m.name == 'gini' -%}
{{ sqlmetrics.gini__influence(m) }}
{%- endif -%}
{%- endmacro -%}

{%- macro metric_height(m) -%}
{%- if m.name == 'ks' -%}
{{ sqlmetrics.ks__height(m) }}
{%- elif m.name == 'max_f1' -%}
{{ sqlmetrics.max_f1__height(m) }}
{%- endif -%}
{%- endmacro -%}

{%- macro metric_at_cut(m) -%}
{%- if m.name == 'ks' -%}
{{ sqlmetrics.ks__at_cut(m) }}
{%- elif m.name == 'max_f1' -%}
{{ sqlmetrics.max_f1__at_cut(m) }}
{%- endif -%}
{%- endmacro -%}

{%- macro metric_held(m) -%}
{%- if m.name == 'average_precision' -%}
{{ sqlmetrics.average_precision__held(m) }}
{%- elif m.name == 'calibration_intercept' -%}
{{ sqlmetrics.calibration_intercept__held(m) }}
{%- elif m.name == 'calibration_slope' -%}
{{ sqlmetrics.calibration_slope__held(m) }}
{%- elif m.name == 'concordance_correlation' -%}
{{ sqlmetrics.concordance_correlation__held(m) }}
{%- elif m.name == 'd2_absolute_error' -%}
{{ sqlmetrics.d2_absolute_error__held(m) }}
{%- elif m.name == 'd2_pinball' -%}
{{ sqlmetrics.d2_pinball__held(m) }}
{%- elif m.name == 'd2_tweedie' -%}
{{ sqlmetrics.d2_tweedie__held(m) }}
{%- elif m.name == 'ece' -%}
{{ sqlmetrics.ece__held(m) }}
{%- elif m.name == 'explained_variance' -%}
{{ sqlmetrics.explained_variance__held(m) }}
{%- elif m.name == 'pearson_correlation' -%}
{{ sqlmetrics.pearson_correlation__held(m) }}
{%- elif m.name == 'r2' -%}
{{ sqlmetrics.r2__held(m) }}
{%- endif -%}
{%- endmacro -%}

{%- macro metric_per_group(m, column) -%}
{%- if m.name == 'alpha_dcg' -%}
{{ sqlmetrics.alpha_dcg__per_group(m) }}
{%- elif m.name == 'alpha_ndcg' -%}
{{ sqlmetrics.alpha_ndcg__per_group(m) }}
{%- elif m.name == 'bpref' -%}
{{ sqlmetrics.bpref__per_group(m) }}
{%- elif m.name == 'category_miscalibration' -%}
{{ sqlmetrics.category_miscalibration__per_group(m) }}
{%- elif m.name == 'cg' -%}
{{ sqlmetrics.cg__per_group(m) }}
{%- elif m.name == 'compatibility' -%}
{{ sqlmetrics.compatibility__per_group(m) }}
{%- elif m.name == 'dcg' -%}
{{ sqlmetrics.dcg__per_group(m) }}
{%- elif m.name == 'diversity' -%}
{{ sqlmetrics.diversity__per_group(m) }}
{%- elif m.name == 'err' -%}
{{ sqlmetrics.err__per_group(m) }}
{%- elif m.name == 'err_ia' -%}
{{ sqlmetrics.err_ia__per_group(m) }}
{%- elif m.name == 'f1_at_k' -%}
{{ sqlmetrics.f1_at_k__per_group(m, column) }}
{%- elif m.name == 'fall_out_at_k' -%}
{{ sqlmetrics.fall_out_at_k__per_group(m) }}
{%- elif m.name == 'gauc' -%}
{{ sqlmetrics.gauc__per_group(m) }}
{%- elif m.name == 'gm_map' -%}
{{ sqlmetrics.gm_map__per_group(m) }}
{%- elif m.name == 'hit_rate' -%}
{{ sqlmetrics.hit_rate__per_group(m) }}
{%- elif m.name == 'idcg' -%}
{{ sqlmetrics.idcg__per_group(m) }}
{%- elif m.name == 'infap' -%}
{{ sqlmetrics.infap__per_group(m) }}
{%- elif m.name == 'interpolated_precision' -%}
{{ sqlmetrics.interpolated_precision__per_group(m) }}
{%- elif m.name == 'intra_list_distance' -%}
{{ sqlmetrics.intra_list_distance__per_group(m) }}
{%- elif m.name == 'judged_at_k' -%}
{{ sqlmetrics.judged_at_k__per_group(m) }}
{%- elif m.name == 'kendall_tau' -%}
{{ sqlmetrics.kendall_tau__per_group(m) }}
{%- elif m.name == 'map' -%}
{{ sqlmetrics.map__per_group(m) }}
{%- elif m.name == 'map_ia' -%}
{{ sqlmetrics.map_ia__per_group(m) }}
{%- elif m.name == 'mrr' -%}
{{ sqlmetrics.mrr__per_group(m) }}
{%- elif m.name == 'ndcg' -%}
{{ sqlmetrics.ndcg__per_group(m) }}
{%- elif m.name == 'nrbp' -%}
{{ sqlmetrics.nrbp__per_group(m) }}
{%- elif m.name == 'overlap_at_k' -%}
{{ sqlmetrics.overlap_at_k__per_group(m) }}
{%- elif m.name == 'pairwise_accuracy' -%}
{{ sqlmetrics.pairwise_accuracy__per_group(m, column) }}
{%- elif m.name == 'pnr' -%}
{{ sqlmetrics.pnr__per_group(m, column) }}
{%- elif m.name == 'popularity_lift' -%}
{{ sqlmetrics.popularity_lift__per_group(m, column) }}
{%- elif m.name == 'precision_at_k' -%}
{{ sqlmetrics.precision_at_k__per_group(m, column) }}
{%- elif m.name == 'precision_ia' -%}
{{ sqlmetrics.precision_ia__per_group(m) }}
{%- elif m.name == 'r_precision' -%}
{{ sqlmetrics.r_precision__per_group(m) }}
{%- elif m.name == 'rbo' -%}
{{ sqlmetrics.rbo__per_group(m) }}
{%- elif m.name == 'rbp' -%}
{{ sqlmetrics.rbp__per_group(m) }}
{%- elif m.name == 'recall_at_k' -%}
{{ sqlmetrics.recall_at_k__per_group(m, column) }}
{%- elif m.name == 'relative_precision' -%}
{{ sqlmetrics.relative_precision__per_group(m) }}
{%- elif m.name == 'serendipity' -%}
{{ sqlmetrics.serendipity__per_group(m) }}
{%- elif m.name == 'set_f' -%}
{{ sqlmetrics.set_f__per_group(m) }}
{%- elif m.name == 'set_map' -%}
{{ sqlmetrics.set_map__per_group(m) }}
{%- elif m.name == 'set_precision' -%}
{{ sqlmetrics.set_precision__per_group(m) }}
{%- elif m.name == 'set_recall' -%}
{{ sqlmetrics.set_recall__per_group(m) }}
{%- elif m.name == 'subtopic_recall' -%}
{{ sqlmetrics.subtopic_recall__per_group(m) }}
{%- elif m.name == 'unbiased_dcg' -%}
{{ sqlmetrics.unbiased_dcg__per_group(m) }}
{%- elif m.name == 'unbiased_ndcg' -%}
{{ sqlmetrics.unbiased_ndcg__per_group(m) }}
{%- elif m.name == 'utility' -%}
{{ sqlmetrics.utility__per_group(m) }}
{%- endif -%}
{%- endmacro -%}

{%- macro metric_table(m, f, keys) -%}
{%- if m.name == 'calibration_curve' -%}
{{ sqlmetrics.calibration_curve__table(m, f, keys) }}
{%- elif m.name == 'class_confusion' -%}
{{ sqlmetrics.class_confusion__table(m, f, keys) }}
{%- elif m.name == 'class_report' -%}
{{ sqlmetrics.class_report__table(m, f, keys) }}
{%- elif m.name == 'group_auc' -%}
{{ sqlmetrics.group_auc__table(m, f, keys) }}
{%- elif m.name == 'isotonic_calibration' -%}
{{ sqlmetrics.isotonic_calibration__table(m, f, keys) }}
{%- elif m.name == 'lift_table' -%}
{{ sqlmetrics.lift_table__table(m, f, keys) }}
{%- elif m.name == 'pr_curve' -%}
{{ sqlmetrics.pr_curve__table(m, f, keys) }}
{%- elif m.name == 'qini_curve' -%}
{{ sqlmetrics.qini_curve__table(m, f, keys) }}
{%- elif m.name == 'roc_curve' -%}
{{ sqlmetrics.roc_curve__table(m, f, keys) }}
{%- elif m.name == 'score_histogram' -%}
{{ sqlmetrics.score_histogram__table(m, f, keys) }}
{%- elif m.name == 'threshold_table' -%}
{{ sqlmetrics.threshold_table__table(m, f, keys) }}
{%- elif m.name == 'uplift_curve' -%}
{{ sqlmetrics.uplift_curve__table(m, f, keys) }}
{%- endif -%}
{%- endmacro -%}

{%- macro metric_cells(m, f, rows_from, keys, carried) -%}
{%- if m.name == 'calibration_curve' -%}
{{ sqlmetrics.calibration_curve__cells(m, f, rows_from, keys, carried) }}
{%- elif m.name == 'class_report' -%}
{{ sqlmetrics.class_report__cells(m, f, rows_from, keys, carried) }}
{%- elif m.name == 'lift_table' -%}
{{ sqlmetrics.lift_table__cells(m, f, rows_from, keys, carried) }}
{%- elif m.name == 'pr_curve' -%}
{{ sqlmetrics.pr_curve__cells(m, f, rows_from, keys, carried) }}
{%- elif m.name == 'roc_curve' -%}
{{ sqlmetrics.roc_curve__cells(m, f, rows_from, keys, carried) }}
{%- elif m.name == 'score_histogram' -%}
{{ sqlmetrics.score_histogram__cells(m, f, rows_from, keys, carried) }}
{%- elif m.name == 'threshold_table' -%}
{{ sqlmetrics.threshold_table__cells(m, f, rows_from, keys, carried) }}
{%- endif -%}
{%- endmacro -%}

{%- macro metric_query(m, rows_from, keys) -%}
{%- if m.name == 'average_popularity' -%}
{{ sqlmetrics.average_popularity__query(m, rows_from, keys) }}
{%- elif m.name == 'coverage' -%}
{{ sqlmetrics.coverage__query(m, rows_from, keys) }}
{%- elif m.name == 'exposure_entropy' -%}
{{ sqlmetrics.exposure_entropy__query(m, rows_from, keys) }}
{%- elif m.name == 'gini_exposure' -%}
{{ sqlmetrics.gini_exposure__query(m, rows_from, keys) }}
{%- elif m.name == 'max_f1' -%}
{{ sqlmetrics.max_f1__query(m, rows_from, keys) }}
{%- elif m.name == 'novelty' -%}
{{ sqlmetrics.novelty__query(m, rows_from, keys) }}
{%- elif m.name == 'personalization' -%}
{{ sqlmetrics.personalization__query(m, rows_from, keys) }}
{%- elif m.name == 'tail_percentage' -%}
{{ sqlmetrics.tail_percentage__query(m, rows_from, keys) }}
{%- endif -%}
{%- endmacro -%}

{%- macro computed_column(computation) -%}
{%- if computation.computed_by == 'anlp' -%}
{{ sqlmetrics.anlp__computed(computation) }}
{%- endif -%}
{%- endmacro -%}

{%- macro frame_steps(f, rows_from, keys) -%}
{%- if f.name == 'centred_rows' -%}
{{ return(sqlmetrics.centred_rows(f, rows_from, keys)) }}
{%- elif f.name == 'class_areas' -%}
{{ return(sqlmetrics.class_areas(f, rows_from, keys)) }}
{%- elif f.name == 'class_counts' -%}
{{ return(sqlmetrics.class_counts(f, rows_from, keys)) }}
{%- elif f.name == 'class_duels' -%}
{{ return(sqlmetrics.class_duels(f, rows_from, keys)) }}
{%- elif f.name == 'class_pairs' -%}
{{ return(sqlmetrics.class_pairs(f, rows_from, keys)) }}
{%- elif f.name == 'duration_blocks' -%}
{{ return(sqlmetrics.duration_blocks(f, rows_from, keys)) }}
{%- elif f.name == 'errors' -%}
{{ return(sqlmetrics.errors(f, rows_from, keys)) }}
{%- elif f.name == 'field_bins' -%}
{{ return(sqlmetrics.field_bins(f, rows_from, keys)) }}
{%- elif f.name == 'field_sums' -%}
{{ return(sqlmetrics.field_sums(f, rows_from, keys)) }}
{%- elif f.name == 'gini_orders' -%}
{{ return(sqlmetrics.gini_orders(f, rows_from, keys)) }}
{%- elif f.name == 'group_scores' -%}
{{ return(sqlmetrics.group_scores(f, rows_from, keys)) }}
{%- elif f.name == 'isotonic_blocks' -%}
{{ return(sqlmetrics.isotonic_blocks(f, rows_from, keys)) }}
{%- elif f.name == 'item_pairs' -%}
{{ return(sqlmetrics.item_pairs(f, rows_from, keys)) }}
{%- elif f.name == 'list_categories' -%}
{{ return(sqlmetrics.list_categories(f, rows_from, keys)) }}
{%- elif f.name == 'list_overlaps' -%}
{{ return(sqlmetrics.list_overlaps(f, rows_from, keys)) }}
{%- elif f.name == 'list_popularity' -%}
{{ return(sqlmetrics.list_popularity(f, rows_from, keys)) }}
{%- elif f.name == 'listed_items' -%}
{{ return(sqlmetrics.listed_items(f, rows_from, keys)) }}
{%- elif f.name == 'listed_pairs' -%}
{{ return(sqlmetrics.listed_pairs(f, rows_from, keys)) }}
{%- elif f.name == 'listed_vectors' -%}
{{ return(sqlmetrics.listed_vectors(f, rows_from, keys)) }}
{%- elif f.name == 'logged_actions' -%}
{{ return(sqlmetrics.logged_actions(f, rows_from, keys)) }}
{%- elif f.name == 'logistic_fit' -%}
{{ return(sqlmetrics.logistic_fit(f, rows_from, keys)) }}
{%- elif f.name == 'ordered_classes' -%}
{{ return(sqlmetrics.ordered_classes(f, rows_from, keys)) }}
{%- elif f.name == 'paired_ranks' -%}
{{ return(sqlmetrics.paired_ranks(f, rows_from, keys)) }}
{%- elif f.name == 'quantile_rows' -%}
{{ return(sqlmetrics.quantile_rows(f, rows_from, keys)) }}
{%- elif f.name == 'ranked_items' -%}
{{ return(sqlmetrics.ranked_items(f, rows_from, keys)) }}
{%- elif f.name == 'ranked_scores' -%}
{{ return(sqlmetrics.ranked_scores(f, rows_from, keys)) }}
{%- elif f.name == 'rated_items' -%}
{{ return(sqlmetrics.rated_items(f, rows_from, keys)) }}
{%- elif f.name == 'recalibrated_scores' -%}
{{ return(sqlmetrics.recalibrated_scores(f, rows_from, keys)) }}
{%- elif f.name == 'rows' -%}
{{ return(sqlmetrics.rows(f, rows_from, keys)) }}
{%- elif f.name == 'score_bins' -%}
{{ return(sqlmetrics.score_bins(f, rows_from, keys)) }}
{%- elif f.name == 'slates' -%}
{{ return(sqlmetrics.slates(f, rows_from, keys)) }}
{%- elif f.name == 'subtopic_items' -%}
{{ return(sqlmetrics.subtopic_items(f, rows_from, keys)) }}
{%- elif f.name == 'surprising_items' -%}
{{ return(sqlmetrics.surprising_items(f, rows_from, keys)) }}
{%- elif f.name == 'thresholds' -%}
{{ return(sqlmetrics.thresholds(f, rows_from, keys)) }}
{%- elif f.name == 'treated_scores' -%}
{{ return(sqlmetrics.treated_scores(f, rows_from, keys)) }}
{%- endif -%}
{%- endmacro -%}

{%- macro frame_moved(f, metrics, keys) -%}
{%- if f.name == 'class_counts' -%}
{{ return(sqlmetrics.class_counts__moved(f, metrics, keys)) }}
{%- elif f.name == 'field_sums' -%}
{{ return(sqlmetrics.field_sums__moved(f, metrics, keys)) }}
{%- elif f.name == 'ordered_classes' -%}
{{ return(sqlmetrics.ordered_classes__moved(f, metrics, keys)) }}
{%- endif -%}
{%- endmacro -%}
